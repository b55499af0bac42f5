#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "case.h"
#include "collective/make_communicator.h"

namespace lockstep::bench {

// One implementation of the operations, as named by --backends. Owned by the bench; main thread. COLLECTIVE:
// allocate(), run() and close().
class Implementation {
 public:
  virtual ~Implementation() = default;
  // Returns memory of the kind that suits this implementation best.
  virtual Buffer allocate(std::size_t bytes) = 0;
  // Makes the operation in place, and waits for it. Throws Error(configuration) of every rank if it cannot.
  virtual void run(const Case& c, const Tensor& values, std::span<const FlatRange> slices) = 0;
  // Returns this rank's part of values, which holds the result of a reduce-scatter.
  virtual Tensor own_slice(const Tensor& values, FlatRange slice) const { return values.flat(slice); }
  virtual void close() = 0;
};

std::vector<std::string> implementation_names();
// Default of --backends. with_mpi: started under mpirun.
std::string default_implementations(bool with_mpi);

// Makes the implementation of that name. COLLECTIVE. Throws Error(usage) of every rank for an unknown name,
// Error(configuration) if it cannot work here.
std::unique_ptr<Implementation> connect(const std::string& name, const CommunicatorParts& parts);

}  // namespace lockstep::bench
