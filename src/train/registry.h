#pragma once

// The former path of train/registry/registry.h, for plug-ins that still include it.
#include "train/registry/registry.h"  // IWYU pragma: export
