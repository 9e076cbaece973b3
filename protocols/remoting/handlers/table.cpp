#include "protocols/remoting/handlers/table.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "common/base/assert.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/handlers/admin_broker.hpp"
#include "protocols/remoting/handlers/admin_groups.hpp"
#include "protocols/remoting/handlers/admin_progress.hpp"
#include "protocols/remoting/handlers/brokers.hpp"
#include "protocols/remoting/handlers/clients.hpp"
#include "protocols/remoting/handlers/consumers.hpp"
#include "protocols/remoting/handlers/locks.hpp"
#include "protocols/remoting/handlers/name_server_config.hpp"
#include "protocols/remoting/handlers/name_server_topics.hpp"
#include "protocols/remoting/handlers/offsets.hpp"
#include "protocols/remoting/handlers/pull.hpp"
#include "protocols/remoting/handlers/queries.hpp"
#include "protocols/remoting/handlers/routes.hpp"
#include "protocols/remoting/handlers/send.hpp"
#include "protocols/remoting/handlers/send_back.hpp"
#include "protocols/remoting/handlers/topics.hpp"

namespace sluice::remoting {

namespace {

struct Line {
  std::int32_t code;
  RequestKind kind;
};

// Everything that is served, one line a code.
constexpr Line kLines[] = {
    {request_code::kSendMessage, SendRequest{to_send}},
    {request_code::kSendMessageV2, SendRequest{to_send}},
    {request_code::kSendBatchMessage, SendRequest{to_send}},
    {request_code::kPullMessage, CommandRequest{to_pull}},
    {request_code::kLitePullMessage, CommandRequest{to_pull}},
    {request_code::kQueryConsumerOffset, CommandRequest{to_query_offset}},
    {request_code::kUpdateConsumerOffset, CommandRequest{to_update_offset}},
    {request_code::kSearchOffsetByTimestamp, CommandRequest{to_search_offset}},
    {request_code::kGetMaxOffset, CommandRequest{to_query_max_offset}},
    {request_code::kGetMinOffset, CommandRequest{to_query_min_offset}},
    {request_code::kGetEarliestMsgStoretime, CommandRequest{to_query_earliest_time}},
    {request_code::kQueryMessage, CommandRequest{to_query_messages}},
    {request_code::kViewMessageById, CommandRequest{to_view_message}},
    {request_code::kLockBatchMq, CommandRequest{to_lock_queues}},
    {request_code::kUnlockBatchMq, CommandRequest{to_unlock_queues}},
    {request_code::kInvokeBrokerToResetOffset, CommandRequest{to_reset_offset}},
    {request_code::kInvokeBrokerToGetConsumerStatus, AskingRequest{to_query_consumer_status}},
    {request_code::kGetConsumerRunningInfo, AskingRequest{to_ask_running_info}},
    {request_code::kConsumeMessageDirectly, AskingRequest{to_consume_directly}},
    {request_code::kHeartBeat, CommandRequest{to_heartbeat}},
    {request_code::kUnregisterClient, CommandRequest{to_unregister_client}},
    {request_code::kGetConsumerListByGroup, CommandRequest{to_list_members}},
    {request_code::kCheckClientConfig, CommandRequest{to_check_client}},
    {request_code::kConsumerSendMsgBack, FixedRequest{answer_send_back}},
    {request_code::kUpdateAndCreateTopic, CommandRequest{to_create_topic}},
    {request_code::kDeleteTopicInBroker, CommandRequest{to_delete_topic}},
    {request_code::kGetAllTopicConfig, CommandRequest{to_query_topic_configs}},
    {request_code::kUpdateAndCreateTopicList, CommandRequest{to_create_topics}},
    {request_code::kGetTopicConfig, CommandRequest{to_query_topic_config}},
    {request_code::kGetTopicStatsInfo, CommandRequest{to_query_topic_stats}},
    {request_code::kGetSystemTopicListFromBroker, CommandRequest{to_query_system_topics}},
    {request_code::kQueryConsumeQueue, CommandRequest{to_inspect_queue}},
    {request_code::kUpdateAndCreateSubscriptionGroup, CommandRequest{to_put_group}},
    {request_code::kUpdateAndCreateSubscriptionGroupList, CommandRequest{to_put_groups}},
    {request_code::kDeleteSubscriptionGroup, CommandRequest{to_delete_group}},
    {request_code::kGetAllSubscriptionGroupConfig, CommandRequest{to_query_groups}},
    {request_code::kGetSubscriptionGroupConfig, CommandRequest{to_query_group}},
    {request_code::kGetConsumerConnectionList, CommandRequest{to_query_consumers}},
    {request_code::kGetProducerConnectionList, CommandRequest{to_query_producers}},
    {request_code::kGetAllProducerInfo, CommandRequest{to_query_all_producers}},
    {request_code::kGetConsumeStats, CommandRequest{to_query_progress}},
    {request_code::kGetBrokerConsumeStats, CommandRequest{to_query_progress_of_all}},
    {request_code::kQueryTopicConsumeByWho, CommandRequest{to_query_groups_of_topic}},
    {request_code::kQueryTopicsByConsumer, CommandRequest{to_query_topics_of_group}},
    {request_code::kQuerySubscriptionByConsumer, CommandRequest{to_query_subscription}},
    {request_code::kQueryConsumeTimeSpan, CommandRequest{to_query_time_spans}},
    {request_code::kGetAllConsumerOffset, CommandRequest{to_query_all_progress}},
    {request_code::kCloneGroupOffset, CommandRequest{to_copy_progress}},
    {request_code::kGetBrokerRuntimeInfo, CommandRequest{to_query_runtime}},
    {request_code::kGetBrokerConfig, CommandRequest{to_query_broker_settings}},
    {request_code::kUpdateBrokerConfig, CommandRequest{to_change_broker_settings}},
    {request_code::kViewBrokerStatsData, CommandRequest{to_query_rates}},
    {request_code::kGetAllTopicListFromNameserver, CommandRequest{to_query_topic_names}},
    {request_code::kGetRouteinfoByTopic, CommandRequest{to_query_route}},
    {request_code::kGetBrokerClusterInfo, CommandRequest{to_query_cluster}},
    {request_code::kRegisterBroker, CommandRequest{to_register_broker}},
    {request_code::kUnregisterBroker, CommandRequest{to_unregister_broker}},
    {request_code::kQueryDataVersion, CommandRequest{to_query_broker_version}},
    {request_code::kBrokerHeartbeat, CommandRequest{to_broker_heartbeat}},
    {request_code::kGetBrokerMemberGroup, CommandRequest{to_query_broker_group}},
    {request_code::kWipeWritePermOfBroker, CommandRequest{to_wipe_write_permission}},
    {request_code::kAddWritePermOfBroker, CommandRequest{to_grant_write_permission}},
    {request_code::kPutKvConfig, CommandRequest{to_put_kv}},
    {request_code::kGetKvConfig, CommandRequest{to_get_kv}},
    {request_code::kDeleteKvConfig, CommandRequest{to_delete_kv}},
    {request_code::kGetKvlistByNamespace, CommandRequest{to_list_kv}},
    {request_code::kUpdateNamesrvConfig, CommandRequest{to_update_settings}},
    {request_code::kGetNamesrvConfig, CommandRequest{to_query_settings}},
    {request_code::kDeleteTopicInNamesrv, CommandRequest{to_forget_topic}},
    {request_code::kRegisterTopicInNamesrv, CommandRequest{to_register_topic}},
    {request_code::kGetTopicsByCluster, CommandRequest{to_list_topics_of_cluster}},
    {request_code::kGetSystemTopicListFromNs, CommandRequest{to_list_system_topics}},
    {request_code::kGetUnitTopicList, CommandRequest{to_list_unit_topics}},
    {request_code::kGetHasUnitSubTopicList, CommandRequest{to_list_unit_subscribed}},
    {request_code::kGetHasUnitSubUnunitTopicList, CommandRequest{to_list_unit_subscribed_alone}},
    {request_code::kWatch, WatchRequest{}},
    {request_code::kSessionClosed, SessionClosedRequest{}},
    {request_code::kAnswerClientRequest, CommandRequest{to_answer_client_request}},
};

/// Rows sorted by code, and an index for the low codes, which are the frequent ones.
class Table {
 public:
  Table() {
    for (const Line& line : kLines) {
      const auto labels = fmt::format("request=\"{}\"", name_of_request(line.code));
      rows_.push_back({line.code, line.kind,
                       metrics::counter("sluice_remoting_requests_total", labels,
                                        "Requests taken, by RocketMQ's name.")});
    }
    for (const TableRow& row : rows_) {
      SLUICE_ASSERT(std::ranges::count(rows_, row.code, &TableRow::code) == 1,
                    "a code has one row");
      if (row.code < kLowCodes) low_[static_cast<std::size_t>(row.code)] = &row;
    }
  }

  [[nodiscard]] const TableRow* find(std::int32_t code) const noexcept {
    if (code >= 0 && code < kLowCodes) return low_[static_cast<std::size_t>(code)];
    const auto found = std::ranges::find(rows_, code, &TableRow::code);
    return found == rows_.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::span<const TableRow> rows() const noexcept { return rows_; }

 private:
  static constexpr std::int32_t kLowCodes = 1024;

  std::vector<TableRow> rows_;
  std::array<const TableRow*, kLowCodes> low_{};
};

const Table& the_table() {
  static const Table table;
  return table;
}

}  // namespace

const TableRow* find_row(std::int32_t code) noexcept {
  return the_table().find(code);
}

std::span<const TableRow> table() noexcept {
  return the_table().rows();
}

}  // namespace sluice::remoting
