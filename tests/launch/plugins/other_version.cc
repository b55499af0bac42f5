// A plug-in built for another version: refused before the loader misses a function that only that version has.
#undef LOCKSTEP_VERSION
#define LOCKSTEP_VERSION "0.0.9"
#include "train/registry/plugin.h"

void only_in_that_version();

extern "C" void lockstep_register(lockstep::Registry& /*registry*/) { only_in_that_version(); }
