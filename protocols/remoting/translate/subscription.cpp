#include "protocols/remoting/translate/subscription.hpp"

#include <string_view>
#include <utility>

#include "common/base/limits.hpp"

namespace sluice::remoting {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// `a || b` in its parts; none for all messages.
std::vector<std::string> tags_of(const model::FilterExpression& filter) {
  std::vector<std::string> tags;
  const bool has_tags = filter.type == "TAG" && trim(filter.expression) != "*";
  std::string_view rest = has_tags ? std::string_view(filter.expression) : std::string_view();
  while (!rest.empty() && tags.size() < limits::kTagsPerSubscriptionMax) {
    const std::size_t end = rest.find("||");
    const std::string_view tag = trim(rest.substr(0, end));
    if (!tag.empty()) tags.emplace_back(tag);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 2);
  }
  return tags;
}

}  // namespace

model::Subscription to_model(SubscriptionData&& data) {
  return {
      .topic = std::move(data.topic),
      .filter = {.expression = std::move(data.sub_string), .type = std::move(data.expression_type)},
      .version = data.sub_version};
}

SubscriptionData to_wire(const model::Subscription& subscription) {
  SubscriptionData data;
  data.topic = subscription.topic;
  data.sub_string = subscription.filter.expression;
  data.expression_type = subscription.filter.type;
  data.sub_version = subscription.version;
  data.tags_set = tags_of(subscription.filter);
  for (const std::string& tag : data.tags_set) {
    data.code_set.push_back(static_cast<std::int32_t>(model::tag_hash(tag)));
  }
  return data;
}

model::ConsumeType to_model(ConsumeType type) noexcept {
  switch (type) {
    case ConsumeType::actively:
      return model::ConsumeType::pull;
    case ConsumeType::passively:
      return model::ConsumeType::push;
    case ConsumeType::pop:
      return model::ConsumeType::pop;
  }
  return model::ConsumeType::push;
}

ConsumeType to_wire(model::ConsumeType type) noexcept {
  switch (type) {
    case model::ConsumeType::pull:
      return ConsumeType::actively;
    case model::ConsumeType::push:
      return ConsumeType::passively;
    case model::ConsumeType::pop:
      return ConsumeType::pop;
  }
  return ConsumeType::passively;
}

model::MessageModel to_model(MessageModel message_model) noexcept {
  return message_model == MessageModel::broadcasting ? model::MessageModel::broadcasting
                                                     : model::MessageModel::clustering;
}

MessageModel to_wire(model::MessageModel message_model) noexcept {
  return message_model == model::MessageModel::broadcasting ? MessageModel::broadcasting
                                                            : MessageModel::clustering;
}

}  // namespace sluice::remoting
