#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/descriptor.h"

namespace lockstep {

// Opens an existing file for reading and appending. Throws Error(cannot_write), or Error(internal) for too many open
// files.
Descriptor open_to_append(const std::string& path);

// Appends a record to a file that is open for appending, in one write: a reader or a crash never sees half a record
// between two whole ones. path: for the message. Throws Error(cannot_write), after cutting off what was written of the
// record.
void append_record(const Descriptor& file, const std::string& path, std::span<const std::byte> record);

}  // namespace lockstep
