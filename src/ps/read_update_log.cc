#include "ps/read_update_log.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/input_file.h"
#include "base/json.h"
#include "base/json_place.h"
#include "base/printable.h"
#include "ps/recorded_order.h"

namespace lockstep {
namespace {

// Requires these members and no others, in this order.
void require_members(const JsonPlace& line, std::initializer_list<std::string_view> names) {
  std::string expected;
  for (const std::string_view name : names) expected += fmt::format("{}{}", expected.empty() ? "" : ", ", name);
  std::string found;
  for (const auto& [name, value] : line.members()) found += fmt::format("{}{}", found.empty() ? "" : ", ", name);
  if (found != expected) line.refuse(fmt::format("expected the members {}, found {}", expected, in_quotes(found)));
}

std::int64_t whole_at_least(std::int64_t least, const JsonPlace& place) {
  const std::int64_t number = place.integer();
  if (number < least) place.refuse(fmt::format("expected {} or more, found {}", least, number));
  return number;
}

int small_whole(int least, const JsonPlace& place) {
  const std::int64_t number = whole_at_least(least, place);
  if (number > std::numeric_limits<int>::max()) place.refuse(fmt::format("{} is too large", number));
  return static_cast<int>(number);
}

std::uint64_t seed_in(const JsonPlace& place) {
  const std::string& text = place.text();
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size()) {
    place.refuse(fmt::format("expected the digits of a seed, found {}", in_quotes(text)));
  }
  return seed;
}

UpdateLogHeader header_in(const JsonPlace& line) {
  const auto format = line.find("format");
  if (!format || format->json() != Json(std::string(kUpdateLogFormat))) line.refuse("this is not an update log");
  const std::int64_t version = line.member("version").integer();
  if (version != kUpdateLogVersion) {
    line.refuse(
        fmt::format("it is an update log of version {}; this program reads version {}", version, kUpdateLogVersion));
  }
  require_members(line, {"format", "version", "clients", "servers", "max_staleness", "sum_updates", "first_update",
                         "last_update", "seed", "batches"});
  UpdateLogHeader header;
  SequencerOptions& options = header.options;
  options.clients = small_whole(1, line.member("clients"));
  header.servers = small_whole(1, line.member("servers"));
  const JsonPlace bound = line.member("max_staleness");
  if (bound.json() != Json()) options.max_staleness = whole_at_least(0, bound);
  options.sum = small_whole(1, line.member("sum_updates"));
  options.first_update = whole_at_least(0, line.member("first_update"));
  options.last_update = whole_at_least(options.first_update, line.member("last_update"));
  header.seed = seed_in(line.member("seed"));
  header.batches = line.member("batches").text();
  return header;
}

PsMessage command_in(const JsonPlace& line) {
  PsMessage command;
  if (line.find("deliver")) {
    require_members(line, {"deliver", "client", "updates"});
    command.kind = PsMessage::Kind::deliver;
    command.batch = whole_at_least(0, line.member("deliver"));
    command.client = small_whole(0, line.member("client"));
    command.number = line.member("updates").integer();
  } else if (line.find("add")) {
    require_members(line, {"add", "client", "weight", "factor"});
    command.kind = PsMessage::Kind::add;
    command.batch = whole_at_least(0, line.member("add"));
    command.client = small_whole(0, line.member("client"));
    command.weight = line.member("weight").number();
    command.factor = line.member("factor").number();
  } else {
    require_members(line, {"update", "count", "factor"});
    command.kind = PsMessage::Kind::update;
    command.number = line.member("update").integer();
    command.count = small_whole(1, line.member("count"));
    command.factor = line.member("factor").number();
  }
  return command;
}

// Reads line after line; line() is the number of the one that was read last.
class LogLines {
 public:
  explicit LogLines(std::string_view text) : text_(text) {}

  std::size_t line() const { return line_; }
  bool more() const { return !text_.empty(); }
  Json next() {
    ++line_;
    const std::size_t end = text_.find('\n');
    if (end == std::string_view::npos) throw JsonError(line_ == 1 ? "this is not an update log" : "it is cut off");
    Json json = parse_json(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return json;
  }

 private:
  std::string_view text_;
  std::size_t line_ = 0;
};

}  // namespace

RecordedUpdates read_update_log(std::string_view text, const std::string& path) {
  RecordedUpdates log;
  log.path = path;
  LogLines lines(text);
  try {
    log.header = header_in(JsonPlace(lines.next()));
    RecordedOrder order(log.header.options);
    while (lines.more()) {
      const Json line = lines.next();
      log.commands.push_back(command_in(JsonPlace(line)));
      order.check(log.commands.back());
    }
    order.check_end();
  } catch (const JsonError& error) {
    throw Error(ExitCode::bad_data, fmt::format("{}, line {}: {}", in_quotes(path), lines.line(), error.what()),
                Scope::every_rank);
  }
  return log;
}

RecordedUpdates read_update_log(const std::string& path) { return read_update_log(read_file(path), path); }

std::string first_line_of_update_log(const std::string& path) {
  constexpr std::size_t kMostBytes = 4096;
  std::string text(kMostBytes, '\0');
  text.resize(InputFile(path).read(std::as_writable_bytes(std::span(text))));
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) {
    throw Error(ExitCode::bad_data, fmt::format("{}, line 1: this is not an update log", in_quotes(path)));
  }
  return text.substr(0, end + 1);
}

}  // namespace lockstep
