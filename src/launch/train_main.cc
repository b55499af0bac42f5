#include <string>
#include <vector>

#include "launch/train_program.h"

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  return lockstep::run_train_program(args, lockstep::builtin_registry());
}
