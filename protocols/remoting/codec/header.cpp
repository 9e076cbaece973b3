#include "protocols/remoting/codec/header.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "common/base/byte_reader.hpp"
#include "common/base/limits.hpp"
#include "protocols/remoting/codec/json_text.hpp"

namespace sluice::remoting {

namespace {

namespace ondemand = simdjson::ondemand;

// Memory kept from one header to the next.
constexpr std::size_t kKeptHeaderBytes = std::size_t{64} * 1024;
constexpr std::size_t kUsualFields = 32;

tl::unexpected<Error> malformed(std::string text) {
  return fail(Errc::malformed_packet, std::move(text));
}

tl::unexpected<Error> not_json(simdjson::error_code code) {
  return malformed(
      fmt::format("header is not the JSON it should be: {}", simdjson::error_message(code)));
}

constexpr std::string_view kNotInt32 = "header has a member that is not a 32-bit integer";
constexpr std::string_view kNoValue = "header has a value that is no JSON value";

std::string_view trimmed(std::string_view token) {
  constexpr std::string_view kWhiteSpace = " \t\r\n";
  const std::size_t last = token.find_last_not_of(kWhiteSpace);
  return token.substr(0, last + 1);  // npos + 1 is 0
}

/// The fields of one header, in memory that is used again.
class FieldList {
 public:
  FieldList() { fields_.reserve(kUsualFields); }

  void clear() { fields_.clear(); }

  /// False if that is one too many, or the key is too long.
  [[nodiscard]] bool add(std::string_view key, std::string_view value) {
    const bool has_room =
        fields_.size() < limits::kRemotingFieldsMax && key.size() <= limits::kRemotingKeyBytesMax;
    if (has_room) fields_.push_back({key, value});
    return has_room;
  }

  /// Why add() was false.
  [[nodiscard]] static tl::unexpected<Error> no_room() {
    return malformed(
        fmt::format("header has more than {} extension fields, or a name over {} bytes",
                    limits::kRemotingFieldsMax, limits::kRemotingKeyBytesMax));
  }

  [[nodiscard]] Fields view() const { return Fields(fields_); }

 private:
  std::vector<Field> fields_;
};

/// Reads one JSON header. Steps answer false when something is wrong, and error() says what: no
/// step of a good header makes a text.
class JsonHeaderReader {
 public:
  explicit JsonHeaderReader(FieldList& fields) noexcept : fields_(fields) {}

  [[nodiscard]] bool read(ondemand::document& document);
  [[nodiscard]] const Header& header() const noexcept { return header_; }
  [[nodiscard]] tl::unexpected<Error> error() const;

 private:
  bool read_member(ondemand::field& member);
  bool read_fields(ondemand::value value);
  bool read_field(ondemand::field& field);
  bool read_int32(ondemand::value value, std::int32_t& number);
  bool read_language(ondemand::value value);
  /// Any JSON value as the text that Java's map of strings would hold; nullopt for null.
  bool read_text(ondemand::value value, std::optional<std::string_view>& text);
  bool read_number_text(ondemand::value value, std::optional<std::string_view>& text);
  bool read_structure(ondemand::value value, std::optional<std::string_view>& text);

  bool failed(simdjson::error_code code) {
    code_ = code;
    return false;
  }
  bool failed(std::string_view problem) {
    problem_ = problem;
    return false;
  }

  FieldList& fields_;
  Header header_;
  simdjson::error_code code_ = simdjson::SUCCESS;
  std::string_view problem_;
  bool is_out_of_room_ = false;
};

tl::unexpected<Error> JsonHeaderReader::error() const {
  if (is_out_of_room_) return FieldList::no_room();
  if (!problem_.empty()) return malformed(std::string(problem_));
  return not_json(code_);
}

bool JsonHeaderReader::read(ondemand::document& document) {
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return failed(error);
  for (auto result : object) {
    ondemand::field member;
    if (const auto error = std::move(result).get(member)) return failed(error);
    if (!read_member(member)) return false;
  }
  const bool is_at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  if (!is_at_end) return failed("header has text after its JSON object");
  header_.fields = fields_.view();
  return true;
}

// No client escapes these names, so their bytes are compared.
bool JsonHeaderReader::read_member(ondemand::field& member) {
  const auto key = member.key();
  switch (key.raw()[0]) {
    case 'c':
      if (key.unsafe_is_equal("code")) return read_int32(member.value(), header_.code);
      return true;
    case 'e':
      if (key.unsafe_is_equal("extFields")) return read_fields(member.value());
      return true;
    case 'f':
      if (key.unsafe_is_equal("flag")) return read_int32(member.value(), header_.flag);
      return true;
    case 'l':
      if (key.unsafe_is_equal("language")) return read_language(member.value());
      return true;
    case 'o':
      if (key.unsafe_is_equal("opaque")) return read_int32(member.value(), header_.opaque);
      return true;
    case 'v':
      if (key.unsafe_is_equal("version")) return read_int32(member.value(), header_.version);
      return true;
    case 'r': {
      if (!key.unsafe_is_equal("remark")) return true;
      std::optional<std::string_view> remark;
      if (!read_text(member.value(), remark)) return false;
      header_.remark = remark.value_or(std::string_view{});
      return true;
    }
    default:
      return true;
  }
}

bool JsonHeaderReader::read_fields(ondemand::value value) {
  fields_.clear();  // a second "extFields" replaces the first
  ondemand::object object;
  if (const auto error = value.get_object().get(object)) {
    bool is_null = false;
    if (error != simdjson::INCORRECT_TYPE || value.is_null().get(is_null)) return failed(error);
    return is_null || failed(error);
  }
  for (auto result : object) {
    ondemand::field field;
    if (const auto error = std::move(result).get(field)) return failed(error);
    if (!read_field(field)) return false;
  }
  return true;
}

bool JsonHeaderReader::read_field(ondemand::field& field) {
  std::string_view key;
  if (const auto error = field.unescaped_key().get(key)) return failed(error);
  std::string_view value;
  if (const auto error = field.value().get_string().get(value)) {
    if (error != simdjson::INCORRECT_TYPE) return failed(error);
    std::optional<std::string_view> text;
    if (!read_text(field.value(), text)) return false;
    if (!text) return true;
    value = *text;
  }
  is_out_of_room_ = !fields_.add(key, value);
  return !is_out_of_room_;
}

bool JsonHeaderReader::read_text(ondemand::value value, std::optional<std::string_view>& text) {
  ondemand::json_type type{};
  if (const auto error = value.type().get(type)) return failed(error);
  switch (type) {
    case ondemand::json_type::null: {
      bool is_null = false;
      if (const auto error = value.is_null().get(is_null)) return failed(error);
      return is_null || failed(kNoValue);
    }
    case ondemand::json_type::string: {
      const auto error = value.get_string().get(text.emplace());
      return !error || failed(error);
    }
    case ondemand::json_type::boolean: {
      bool boolean = false;
      if (const auto error = value.get_bool().get(boolean)) return failed(error);
      text = boolean ? "true" : "false";
      return true;
    }
    case ondemand::json_type::number:
      return read_number_text(value, text);
    case ondemand::json_type::object:
    case ondemand::json_type::array:
      return read_structure(value, text);
  }
  return failed(kNoValue);
}

bool JsonHeaderReader::read_number_text(ondemand::value value,
                                        std::optional<std::string_view>& text) {
  text = trimmed(value.raw_json_token());
  ondemand::number number;
  const auto error = value.get_number().get(number);
  return !error || failed(error);
}

bool JsonHeaderReader::read_structure(ondemand::value value,
                                      std::optional<std::string_view>& text) {
  ondemand::object object;
  if (!value.get_object().get(object)) {
    const auto error = object.raw_json().get(text.emplace());
    return !error || failed(error);
  }
  ondemand::array array;
  if (const auto error = value.get_array().get(array)) return failed(error);
  const auto error = array.raw_json().get(text.emplace());
  return !error || failed(error);
}

bool JsonHeaderReader::read_int32(ondemand::value value, std::int32_t& number) {
  std::int64_t wide = 0;
  if (value.get_int64().get(wide)) {
    std::optional<std::string_view> text;
    if (!read_text(value, text)) return false;
    const auto parsed = text ? parse_decimal<std::int64_t>(*text) : std::optional<std::int64_t>(0);
    if (!parsed) return failed(kNotInt32);
    wide = *parsed;
  }
  number = static_cast<std::int32_t>(wide);
  return number == wide || failed(kNotInt32);
}

bool JsonHeaderReader::read_language(ondemand::value value) {
  std::optional<std::string_view> text;
  if (!read_text(value, text)) return false;
  if (text) header_.language = language_from_text(*text);
  return true;
}

/// Fills `fields` from the entries of a binary header.
Result<> read_binary_fields(BytesView entries, FieldList& fields) {
  ByteReader reader(entries);
  while (reader.remaining() > 0) {
    const auto key = reader.read_text(reader.read<std::int16_t>());
    const auto value = reader.read_text(reader.read<std::int32_t>());
    if (!reader.ok()) return malformed("binary header has a field that is longer than the fields");
    const bool is_null = key.empty() || value.empty();
    if (!is_null && !fields.add(key, value)) return FieldList::no_room();
  }
  return {};
}

Result<Header> read_binary_header(BytesView bytes, FieldList& fields) {
  ByteReader reader(bytes);
  Header header;
  header.code = reader.read<std::int16_t>();
  header.language = language_from_number(reader.read<std::int8_t>());
  header.version = reader.read<std::int16_t>();
  header.opaque = reader.read<std::int32_t>();
  header.flag = reader.read<std::int32_t>();
  header.remark = reader.read_text(reader.read<std::int32_t>());
  const BytesView entries = reader.read_bytes(reader.read<std::int32_t>());
  if (!reader.ok()) return malformed("binary header ends inside its parts");
  if (reader.remaining() > 0) return malformed("binary header has bytes after its fields");
  const auto done = read_binary_fields(entries, fields);
  SLUICE_TRY(done);
  header.fields = fields.view();
  return header;
}

/// Copies the JSON to where simdjson may read past its end.
simdjson::padded_string_view pad(std::vector<char>& memory, std::string_view json) {
  const std::size_t allocated = json.size() + simdjson::SIMDJSON_PADDING;
  if (memory.size() < allocated) memory.resize(allocated);
  const auto end = std::copy(json.begin(), json.end(), memory.begin());
  std::fill_n(end, simdjson::SIMDJSON_PADDING, '\0');
  return simdjson::padded_string_view(memory.data(), json.size(), allocated);
}

// The readers of usual headers are inlined into one function on purpose: no call takes simdjson's
// iterator along, so it stays in registers, which saves a third of the time of a header.

[[gnu::always_inline]] inline bool read_usual_int32(ondemand::field& member, std::int32_t& number) {
  std::int64_t wide = 0;
  if (member.value().get_int64().get(wide)) return false;
  number = static_cast<std::int32_t>(wide);
  return number == wide;
}

[[gnu::always_inline]] inline bool read_usual_fields(ondemand::field& member, FieldList& fields) {
  fields.clear();
  ondemand::object object;
  if (member.value().get_object().get(object)) return false;
  for (auto result : object) {
    ondemand::field field;
    std::string_view key;
    std::string_view value;
    if (std::move(result).get(field)) return false;
    if (field.unescaped_key().get(key)) return false;
    if (field.value().get_string().get(value)) return false;
    if (!fields.add(key, value)) return false;
  }
  return true;
}

/// The header as clients write it: numbers are numbers and every other value is a string. nullopt
/// for everything else, good or bad: then JsonHeaderReader knows.
std::optional<Header> read_usual_header(ondemand::parser& parser, simdjson::padded_string_view json,
                                        FieldList& fields) {
  ondemand::document document;
  ondemand::object object;
  if (parser.iterate(json).get(document)) return std::nullopt;
  if (document.get_object().get(object)) return std::nullopt;
  Header header;
  for (auto result : object) {
    ondemand::field member;
    if (std::move(result).get(member)) return std::nullopt;
    const auto key = member.key();
    bool is_usual = true;
    if (key.unsafe_is_equal("code")) {
      is_usual = read_usual_int32(member, header.code);
    } else if (key.unsafe_is_equal("extFields")) {
      is_usual = read_usual_fields(member, fields);
    } else if (key.unsafe_is_equal("flag")) {
      is_usual = read_usual_int32(member, header.flag);
    } else if (key.unsafe_is_equal("language")) {
      std::string_view name;
      is_usual = !member.value().get_string().get(name);
      header.language = language_from_text(name);
    } else if (key.unsafe_is_equal("opaque")) {
      is_usual = read_usual_int32(member, header.opaque);
    } else if (key.unsafe_is_equal("version")) {
      is_usual = read_usual_int32(member, header.version);
    } else if (key.unsafe_is_equal("remark")) {
      is_usual = !member.value().get_string().get(header.remark);
    }
    if (!is_usual) return std::nullopt;
  }
  const bool is_at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  if (!is_at_end) return std::nullopt;
  header.fields = fields.view();
  return header;
}

/// Everything that is not usual: what is wrong, or what only few clients write.
Result<Header> read_unusual_header(ondemand::parser& parser, std::vector<char>& memory,
                                   std::string_view json, FieldList& fields) {
  auto document = parser.iterate(pad(memory, json));
  if (document.error() == simdjson::UTF8_ERROR) {
    std::string repaired;
    append_valid_utf8(repaired, json);
    document = parser.iterate(pad(memory, repaired));
  }
  if (document.error()) return not_json(document.error());
  JsonHeaderReader reader(fields);
  if (!reader.read(document.value_unsafe())) return reader.error();
  return reader.header();
}

}  // namespace

/// What a decoder keeps from one header to the next.
struct HeaderDecoder::State {
  ondemand::parser parser;
  std::vector<char> padded;  // the JSON and SIMDJSON_PADDING bytes; never smaller than needed
  FieldList fields;
};

HeaderDecoder::HeaderDecoder() : state_(std::make_unique<State>()) {}
HeaderDecoder::~HeaderDecoder() = default;
HeaderDecoder::HeaderDecoder(HeaderDecoder&&) noexcept = default;
HeaderDecoder& HeaderDecoder::operator=(HeaderDecoder&&) noexcept = default;

Result<Header> HeaderDecoder::decode(SerializeType serialize_type, BytesView header) {
  const bool is_memory_large =
      state_->padded.size() > kKeptHeaderBytes + simdjson::SIMDJSON_PADDING;
  if (is_memory_large && header.size() <= kKeptHeaderBytes) *this = HeaderDecoder();
  state_->fields.clear();
  if (serialize_type == SerializeType::rocketmq) return read_binary_header(header, state_->fields);
  const std::string_view json = as_text(header);
  const auto usual = read_usual_header(state_->parser, pad(state_->padded, json), state_->fields);
  if (usual) return *usual;
  state_->fields.clear();
  return read_unusual_header(state_->parser, state_->padded, json, state_->fields);
}

}  // namespace sluice::remoting
