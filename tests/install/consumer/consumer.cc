// A user's program against the installed package: its headers, symbols and version.
#include <cstdio>

#include "collective/communicator.h"
#include "data/shard_plan.h"
#include "model/model.h"
#include "optim/optimizer.h"
#include "tensor/backend.h"
#include "train/strategy/strategy.h"

int main() {
  const auto backend = lockstep::make_backend({});
  const auto memory = backend->allocator().allocate(64 * sizeof(float));
  const auto values = lockstep::view(memory, lockstep::DType::float32, {64});
  backend->fill(values, 0.5);
  double sum = 0;
  for (float value : values.span<float>()) sum += value;
  std::printf("lockstep %s: %lld elements of 0.5 add up to %g\n", LOCKSTEP_VERSION,
              static_cast<long long>(values.count()), sum);
  return 0;
}
