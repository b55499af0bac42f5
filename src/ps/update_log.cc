#include "ps/update_log.h"

#include <utility>

#include "base/json.h"

namespace lockstep {
namespace {

Json header_line(const UpdateLogHeader& header) {
  const SequencerOptions& options = header.options;
  Json bound;  // null: none
  if (options.max_staleness) bound = Json(*options.max_staleness);
  return Json::Object{{"format", std::string(kUpdateLogFormat)},
                      {"version", std::int64_t{kUpdateLogVersion}},
                      {"clients", std::int64_t{options.clients}},
                      {"servers", std::int64_t{header.servers}},
                      {"max_staleness", bound},
                      {"sum_updates", std::int64_t{options.sum}},
                      {"first_update", options.first_update},
                      {"last_update", options.last_update},
                      {"seed", std::to_string(header.seed)},  // JSON integers end at 63 bits
                      {"batches", header.batches}};
}

Json command_line(const PsMessage& command) {
  const std::int64_t client{command.client};
  switch (command.kind) {
    case PsMessage::Kind::deliver:
      return Json::Object{{"deliver", command.batch}, {"client", client}, {"updates", command.number}};
    case PsMessage::Kind::add:
      return Json::Object{
          {"add", command.batch}, {"client", client}, {"weight", command.weight}, {"factor", command.factor}};
    case PsMessage::Kind::update:
      return Json::Object{
          {"update", command.number}, {"count", std::int64_t{command.count}}, {"factor", command.factor}};
    default:
      return {};
  }
}

}  // namespace

UpdateLog::UpdateLog(const UpdateLogHeader& header, Write write) : write_(std::move(write)) {
  write_(header_line(header).text() + "\n");
}

void UpdateLog::record(const PsMessage& command) {
  const Json line = command_line(command);
  if (line != Json()) write_(line.text() + "\n");
}

}  // namespace lockstep
