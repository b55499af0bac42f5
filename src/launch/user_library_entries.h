#pragma once

#include <functional>
#include <string>

#include "train/registry/registry.h"

namespace lockstep {

// The additions of a user's library to a registry: entries that were not there before.

// Calls refuse, which throws, for a name that no flag could take or no terminal could show: one that is empty or has a
// comma or a control character; and for a tokenizer whose kind has another name than the entry.
void check_added(const Registry& before, const Registry& now,
                 const std::function<void(const std::string& why)>& refuse);

// Wraps the functions of added problems, tokenizers, models, hparams sets and communicators, so that failures name
// their origin: one that throws anything but an Error or std::bad_alloc (or JsonError, if it reads JSON), returns a
// null pointer or a tokenizer of another kind, or is empty, causes an Error(internal) with the entry and the library's
// file.
void name_added(const Registry& before, Registry& now, const std::string& file);

}  // namespace lockstep
