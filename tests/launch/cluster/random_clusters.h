#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "launch/cluster/place_tasks.h"

namespace lockstep {

// Random draws below a limit, the same on every platform, unlike <random>'s distributions.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(engine_() % limit); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

// A job that can be placed: its cluster, T2T's flags, and the processes of a launcher in any order on the right hosts.
struct RandomJob {
  TfConfig config;
  ClusterFlags flags;
  std::vector<ClusterProcess> processes;
};

RandomJob random_job(Draws& draws);

}  // namespace lockstep
