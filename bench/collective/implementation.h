#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "case.h"
#include "collective/make_communicator.h"

namespace lockstep::bench {

// One way to do the operations: what --backends names. Owned by the bench; main thread. COLLECTIVE: allocate(), run()
// and close().
class Implementation {
 public:
  virtual ~Implementation() = default;
  // Memory that it works on as it likes best.
  virtual Buffer allocate(std::size_t bytes) = 0;
  // In place; done when it returns.
  virtual void run(const Case& c, const Tensor& values, std::span<const FlatRange> slices) = 0;
  // Where the result of a reduce-scatter lies for this rank.
  virtual Tensor own_slice(const Tensor& values, FlatRange slice) const { return values.flat(slice); }
  virtual void close() = 0;
};

std::vector<std::string> implementation_names();
// What is measured unless --backends is given. with_mpi: under mpirun.
std::string default_implementations(bool with_mpi);

// By name. COLLECTIVE. Throws Error(usage) of every rank for a name that is none, Error(configuration) where it cannot
// work.
std::unique_ptr<Implementation> connect(const std::string& name, const CommunicatorParts& parts);

}  // namespace lockstep::bench
