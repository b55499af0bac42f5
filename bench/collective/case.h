#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/flat_range.h"
#include "tensor/tensor.h"

// Operations that bench/collective runs, and their expected results.
namespace lockstep::bench {

enum class Collective { all_reduce, reduce_scatter, all_gather, broadcast };

// Names as in --op and the JSON, in the order of Collective.
const std::vector<std::string>& collective_names();
const std::string& name(Collective op);
bool sums(Collective op);  // true if values are added up, not only moved

// One operation on one size, as one rank sees it. bytes: the whole tensor's; for reduce-scatter and all-gather the
// slices of all ranks together. A broadcast starts at rank 0.
struct Case {
  Collective op = Collective::all_reduce;
  DType dtype = DType::float32;
  std::int64_t bytes = 0;
  int rank = 0;
  int ranks = 1;
  int hosts = 1;
  int ranks_per_host = 1;  // the most that a host has

  std::int64_t count() const { return bytes / static_cast<std::int64_t>(size_of(dtype)); }
};

// Bytes that a bus between the ranks has to carry, relative to `bytes`, as nccl-tests define it (doc/PERFORMANCE.md
// there). This makes figures for different numbers of ranks comparable.
double bus_factor(const Case& c);

// Least bytes that each rank has to read and write in memory that all ranks share, if all do an equal part: it sums its
// slice of all ranks' tensors and writes it into all of them (reduce-scatter: into its own), or it copies what others
// lack.
double least_bytes_moved(const Case& c);

// Fills the inputs such that element i of every result is 1 + i % 7: a misplaced element shows, and every type holds
// the numbers exactly. Of P ranks, each adds the 1 to every P-th element of a sum: a missing contribution shows.
void fill(const Case& c, const Tensor& values, std::span<const FlatRange> slices);
// Returns how many elements of part, which begins at element `first` of the result, are wrong.
std::int64_t count_wrong(const Tensor& part, std::int64_t first);

}  // namespace lockstep::bench
