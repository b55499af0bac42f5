// A plug-in whose author forgot lockstep_register.
#include "train/plugin.h"
