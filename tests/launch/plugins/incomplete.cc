// A plug-in that was not linked with all libraries that it uses.
#include "train/registry/plugin.h"

void nobody_has_this();

extern "C" void lockstep_register(lockstep::Registry& /*registry*/) { nobody_has_this(); }
