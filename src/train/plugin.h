#pragma once

// The former path of train/registry/plugin.h, for plug-ins that still include it.
#include "train/registry/plugin.h"  // IWYU pragma: export
