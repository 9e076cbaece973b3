#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/model/session_ids.hpp"
#include "common/runtime/runtime.hpp"
#include "gateway/pipeline/pipeline.hpp"
#include "gateway/routing/routing.hpp"
#include "gateway/sessions/hub.hpp"
#include "protocols/spi/request_handler.hpp"

namespace sluice::gateway {

/// Between protocols and brokers: takes a call through the pipeline, finds the broker that serves
/// it, and brings the answer back. Keeps nothing that another gateway could not take over.
class Gateway final : public protocol::RequestHandler {
 public:
  Gateway(Runtime& runtime, std::unique_ptr<Routing> routing,
          Pipeline pipeline = Pipeline::allow_all());

  Task<model::Reply> handle(model::CallContext context, model::Command command) override;

  /// With one local broker and nothing refused, this is the broker's own task: no hop, no copy.
  Task<std::vector<Result<model::SendReply>>> send(model::CallContext context,
                                                   std::vector<model::Send> sends) override;

  std::unique_ptr<protocol::DeliveryStream> attach(model::CallContext context) override;

  /// Another gateway asks for notices to its sessions. \return unsupported without a local broker.
  Task<model::WatchReply> watch(model::CallContext context, model::Watch watch) override;

  [[nodiscard]] model::SessionId next_session_id() noexcept override;
  void session_closed(model::SessionId session, model::SessionId via) noexcept override;

  /// Ends streams and watches. After the listeners are drained, and with the local broker stopped
  /// or stopping: the watch at it ends with it. Once.
  Task<> stop();

 private:
  using SendReplies = std::vector<Result<model::SendReply>>;

  Task<SendReplies> send_to_brokers(model::CallContext context, std::vector<model::Send> sends,
                                    std::vector<Result<>> admitted);
  [[nodiscard]] BrokerApi* one_known_broker(const std::vector<model::Send>& sends) noexcept;
  Task<BrokerApi*> broker_of(std::string topic, std::string broker_name);

  // One for each command, by the type of its argument.
  Task<model::Reply> serve(model::CallContext context, model::Pull pull);
  Task<model::Reply> serve(model::CallContext context, model::QueryOffset query);
  Task<model::Reply> serve(model::CallContext context, model::UpdateOffset update);
  Task<model::Reply> serve(model::CallContext context, model::QueryBounds query);
  Task<model::Reply> serve(model::CallContext context, model::SearchOffset search);
  Task<model::Reply> serve(model::CallContext context, model::QueryEarliestTime query);
  Task<model::Reply> serve(model::CallContext context, model::QueryMessages query);
  Task<model::Reply> serve(model::CallContext context, model::ViewMessage view);
  Task<model::Reply> serve(model::CallContext context, model::LockQueues lock);
  Task<model::Reply> serve(model::CallContext context, model::UnlockQueues unlock);
  Task<model::Reply> serve(model::CallContext context, model::AskClient ask);
  Task<model::Reply> serve(model::CallContext context, model::AnswerClientRequest answer);
  Task<model::Reply> serve(model::CallContext context, model::QueryConsumerStatus query);
  Task<model::Reply> serve(model::CallContext context, model::ResetOffset reset);
  Task<model::Reply> serve(model::CallContext context, model::RegisterClient client);
  Task<model::Reply> serve(model::CallContext context, model::UnregisterClient client);
  Task<model::Reply> serve(model::CallContext context, model::ListMembers query);
  Task<model::Reply> serve(model::CallContext context, model::CheckSubscription query);
  Task<model::Reply> serve(model::CallContext context, model::CreateTopic create);
  Task<model::Reply> serve(model::CallContext context, model::CreateTopics create);
  Task<model::Reply> serve(model::CallContext context, model::DeleteTopic remove);
  Task<model::Reply> serve(model::CallContext context, model::QueryTopics query);
  Task<model::Reply> serve(model::CallContext context, model::Administer administer);
  Task<model::Reply> serve(model::CallContext context, model::QueryRoute query);
  Task<model::Reply> serve(model::CallContext context, model::QueryCluster query);
  Task<model::Reply> serve(model::CallContext context, model::RegisterBroker registration);
  Task<model::Reply> serve(model::CallContext context, model::UnregisterBroker broker);
  Task<model::Reply> serve(model::CallContext context, model::NameServerCommand command);

  template <class Request, class Answer>
  Task<model::Reply> at_broker(model::CallContext context, Request request,
                               Task<Answer> (BrokerApi::*call)(model::CallContext, Request));
  template <class Request>
  Task<std::vector<Result<>>> at_all_brokers(model::CallContext context, Request request,
                                             Task<> (BrokerApi::*call)(model::CallContext,
                                                                       Request));

  /// The brokers meant: that of the name, or without one all.
  Task<std::vector<BrokerApi*>> brokers_of(std::string broker_name);
  template <class Request, class Answer>
  Task<Answer> at_first_broker(model::CallContext context, Request request,
                               Task<Answer> (BrokerApi::*call)(model::CallContext, Request));
  template <class Request>
  Task<std::map<BrokerApi*, Request>> split_by_broker(Request request);

  model::SessionIds session_ids_;
  Pipeline pipeline_;
  std::unique_ptr<Routing> routing_;
  BrokerApi* local_broker_;  ///< routing_->local_broker().
  Hub hub_;
};

}  // namespace sluice::gateway
