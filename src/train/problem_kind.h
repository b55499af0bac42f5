#pragma once

// The former path of train/registry/problem_kind.h, for plug-ins that still include it.
#include "train/registry/problem_kind.h"  // IWYU pragma: export
