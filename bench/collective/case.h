#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/flat_range.h"
#include "tensor/tensor.h"

// What bench/collective runs, and what has to come out of it.
namespace lockstep::bench {

enum class Collective { all_reduce, reduce_scatter, all_gather, broadcast };

// As --op and the JSON call them, in the order of Collective.
const std::vector<std::string>& collective_names();
const std::string& name(Collective op);
bool sums(Collective op);  // whether values are added up, or only moved

// One operation on one size, as one rank sees it. bytes: of the whole tensor, for reduce-scatter and all-gather the
// slices of all ranks together. A broadcast is rank 0's.
struct Case {
  Collective op = Collective::all_reduce;
  DType dtype = DType::float32;
  std::int64_t bytes = 0;
  int rank = 0;
  int ranks = 1;

  std::int64_t count() const { return bytes / static_cast<std::int64_t>(size_of(dtype)); }
};

// The bytes that a bus between the ranks has to carry, relative to `bytes`, so that figures of different numbers of
// ranks can be compared: as nccl-tests define it (doc/PERFORMANCE.md there).
double bus_factor(const Case& c);

// The least that each rank has to read and write in memory that all ranks share, if all take an equal part: it sums its
// slice of all ranks' tensors and writes it into all of them (reduce-scatter: into its own); or it copies what others
// lack.
double least_bytes_moved(const Case& c);

// Element i of every result is 1 + i % 7: what arrives in the wrong place is seen, and every type holds the numbers
// exactly. Each rank's contribution decides every P-th element of a sum, P the number of ranks.
void fill(const Case& c, const Tensor& values, std::span<const FlatRange> slices);
// How many elements of part, which begins at element `first` of the result, are wrong.
std::int64_t count_wrong(const Tensor& part, std::int64_t first);

}  // namespace lockstep::bench
