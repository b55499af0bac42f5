#pragma once

// A former path, for plug-ins that still include it.
#include "data/sequences/sequence_problem.h"  // IWYU pragma: export
