// A plug-in without lockstep_register.
#include "train/plugin.h"
