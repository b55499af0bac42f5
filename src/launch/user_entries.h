#pragma once

#include <functional>
#include <string>

#include "train/registry.h"

namespace lockstep {

// The additions of a user's library to a registry: entries that were not there before.

// Calls refuse, which throws, for a name that no flag could take or no terminal show: one that is empty or has a comma
// or a control character.
void check_added(const Registry& before, const Registry& now,
                 const std::function<void(const std::string& why)>& refuse);

// Has the functions among them say whose they are where they fail: one that throws what is no Error, makes nothing (a
// null pointer), or is empty becomes an Error(internal) that names the entry and the library's file.
void name_added(const Registry& before, Registry& now, const std::string& file);

}  // namespace lockstep
