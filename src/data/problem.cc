#include "data/problem.h"

namespace lockstep {

const char* name(Split split) {
  switch (split) {
    case Split::train:
      return "train";
    case Split::dev:
      return "dev";
    case Split::test:
      return "test";
  }
  return "unknown";
}

}  // namespace lockstep
