#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/descriptor.h"

namespace lockstep {

// Appends a record to a file that is open for appending, in one write: a reader or a crash never sees half a record
// between two whole ones. path: for the message. Throws Error(cannot_write), after cutting off what was written of the
// record.
void append_record(const Descriptor& file, const std::string& path, std::span<const std::byte> record);

}  // namespace lockstep
