// A plug-in without lockstep_register.
#include "train/registry/plugin.h"
