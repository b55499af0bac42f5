#pragma once

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "base/printable.h"
#include "base/table.h"

namespace lockstep {

// Refuses a name in a checkpoint `file` that its run had from a library of its own, if this command has not been given
// that. Throws Error(configuration) of every rank.
template <class Entry>
void check_known(const Table<Entry>& table, const std::string& name, const std::string& file) {
  if (table.has(name)) return;
  throw Error(ExitCode::configuration,
              fmt::format("'{}' is a checkpoint of {} {}, which is none of those here; give the --usr_lib of its run",
                          file, table.kind(), in_quotes(name)),
              Scope::every_rank);
}

}  // namespace lockstep
