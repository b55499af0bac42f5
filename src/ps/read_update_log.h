#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ps/message.h"
#include "ps/update_log.h"

namespace lockstep {

// An update log that was read. Commands are the lines after the first, with what their lines say of them.
struct RecordedUpdates {
  std::string path;
  UpdateLogHeader header;
  std::vector<PsMessage> commands;
};

// Reads what UpdateLog wrote; `path` is for messages. Throws Error(bad_data) of every rank, with path and line, for a
// text that is damaged or cut off, of another version, or that no run could have written: where commands are not
// possible in this order, the run lost a client, or did not end.
RecordedUpdates read_update_log(std::string_view text, const std::string& path);
RecordedUpdates read_update_log(const std::string& path);

// The first line of such a file, which is a log without commands. Throws Error of this rank: missing_input if it cannot
// be read, bad_data if it has no such line.
std::string first_line_of_update_log(const std::string& path);

}  // namespace lockstep
