#include "collective/gpu_ranks.h"

#include "tensor/half_types.h"

namespace lockstep {
namespace {

template <class T>
T of_integer(int number) {
  if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>)
    return narrowed<T>(static_cast<float>(number));
  else
    return static_cast<T>(number);  // uint8: modulo 256
}

// Rank r has (r + 1) times this at element i: sums of eight ranks are exact in every type.
int pattern(std::size_t i) { return static_cast<int>(i % 7) + 1; }

template <class T>
std::vector<T> multiples(int factor, std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = of_integer<T>(factor * pattern(i));
  return values;
}

template <class T>
bool same(std::span<const T> values, std::span<const T> expected, FlatRange range) {
  const auto begin = static_cast<std::size_t>(range.begin);
  return range.empty() || std::memcmp(values.data() + begin, expected.data() + begin,
                                      static_cast<std::size_t>(range.count()) * sizeof(T)) == 0;
}

std::vector<std::vector<FlatRange>> slicings(std::int64_t count, int ranks) {
  std::vector<FlatRange> all_to_last(static_cast<std::size_t>(ranks));
  all_to_last.back() = {0, count};
  return {equal_slices(count, ranks), equal_slices(count, ranks, 64), all_to_last};
}

template <class T>
void check_type(Communicator& communicator, Backend& backend, std::int64_t count) {
  const std::string type = name(dtype_of<T>());
  CAPTURE(type);
  CAPTURE(count);
  const int rank = communicator.rank();
  const int ranks = communicator.size();
  const std::vector<T> sums = multiples<T>(ranks * (ranks + 1) / 2, count);
  GpuValues<T> values(communicator.allocator(), backend, multiples<T>(rank + 1, count));

  communicator.wait(communicator.all_reduce(values.tensor(), backend.record()));
  CHECK(same<T>(values.read(), sums, {0, count}));

  for (const std::vector<FlatRange>& slices : slicings(count, ranks)) {
    values.write();
    communicator.wait(communicator.reduce_scatter(values.tensor(), slices, backend.record()));
    CHECK(same<T>(values.read(), sums, slices[static_cast<std::size_t>(rank)]));

    values.write();
    communicator.wait(communicator.all_gather(values.tensor(), slices, backend.record()));
    const std::vector<T> gathered = values.read();
    bool right = true;
    for (int owner = 0; owner < ranks; ++owner) {
      right &= same<T>(gathered, multiples<T>(owner + 1, count), slices[static_cast<std::size_t>(owner)]);
    }
    CHECK(right);
  }

  for (const int root : {0, ranks - 1}) {
    values.write();
    communicator.wait(communicator.broadcast(values.tensor(), root, backend.record()));
    CHECK(same<T>(values.read(), multiples<T>(root + 1, count), {0, count}));
  }
}

// Checks the exact tree with two leaves per rank, which the rank has already added up.
void check_tree(Communicator& communicator, Backend& backend, std::int64_t count) {
  CAPTURE(count);
  const int ranks = communicator.size();
  const TreePlan plan(2 * ranks, ranks);
  const auto own = plan.parts(communicator.rank());
  std::vector<std::unique_ptr<GpuValues<float>>> parts;
  std::vector<Tensor> tensors;
  for (const TreePlan::Node& part : own) {  // leaf i has the value i + 1
    int leaves = 0;
    for (int leaf = part.begin; leaf < part.end; ++leaf) leaves += leaf + 1;
    parts.push_back(
        std::make_unique<GpuValues<float>>(communicator.allocator(), backend, multiples<float>(leaves, count)));
    tensors.push_back(parts.back()->tensor());
  }
  GpuValues<float> result(communicator.allocator(), backend, multiples<float>(0, count));
  backend.synchronize();
  communicator.wait(communicator.tree_all_reduce(plan, tensors, result.tensor()));
  CHECK(same<float>(result.read(), multiples<float>(ranks * (2 * ranks + 1), count), {0, count}));
}

}  // namespace

void check_gpu_operations(Communicator& communicator, Backend& backend, std::span<const std::int64_t> counts) {
  for (const std::int64_t count : counts) {
    check_type<float>(communicator, backend, count);
    check_type<double>(communicator, backend, count);
    check_type<std::uint8_t>(communicator, backend, count);
    check_type<BFloat16>(communicator, backend, count);
    check_type<Float16>(communicator, backend, count);
    check_tree(communicator, backend, count);
  }
  // Host bytes, and barriers.
  const std::vector<int> ranks = all_gather_value(communicator, communicator.rank());
  for (int rank = 0; rank < communicator.size(); ++rank) CHECK(ranks[static_cast<std::size_t>(rank)] == rank);
  int number = communicator.rank() == communicator.size() - 1 ? 17 : 0;
  broadcast_value(communicator, number, communicator.size() - 1);
  CHECK(number == 17);
  communicator.barrier();
}

}  // namespace lockstep
