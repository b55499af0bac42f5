#include "implementation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "plain_mpi.h"

namespace lockstep::bench {
namespace {

// Our own communicators.
class CommunicatorRunner final : public Implementation {
 public:
  explicit CommunicatorRunner(std::unique_ptr<Communicator> communicator) : communicator_(std::move(communicator)) {}

  Buffer allocate(std::size_t bytes) override { return communicator_->allocator().allocate(bytes); }

  void run(const Case& c, const Tensor& values, std::span<const FlatRange> slices) override {
    communicator_->wait(start(c, values, slices));
  }

  void close() override { communicator_->close(); }

 private:
  Ticket start(const Case& c, const Tensor& values, std::span<const FlatRange> slices) {
    switch (c.op) {
      case Collective::all_reduce:
        return communicator_->all_reduce(values);
      case Collective::reduce_scatter:
        return communicator_->reduce_scatter(values, slices);
      case Collective::all_gather:
        return communicator_->all_gather(values, slices);
      case Collective::broadcast:
        return communicator_->broadcast(values, 0);
    }
    return {};
  }

  std::unique_ptr<Communicator> communicator_;
};

template <CommunicatorFactory::result_type (*connect_communicator)(const CommunicatorParts&)>
std::unique_ptr<Implementation> run_ours(const CommunicatorParts& parts) {
  return std::make_unique<CommunicatorRunner>(connect_communicator(parts));
}

struct Row {
  const char* name;
  std::unique_ptr<Implementation> (*connect)(const CommunicatorParts&);
};

constexpr Row kRows[] = {
    {"auto", run_ours<connect_auto>}, {"shm", run_ours<connect_shm>}, {"hierarchical", run_ours<connect_hierarchical>},
    {"mpi", run_ours<connect_mpi>},   {"mpi_plain", make_plain_mpi},  {"self", run_ours<connect_self>},
    {"ring", run_ours<connect_ring>},
};

}  // namespace

std::vector<std::string> implementation_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kRows));
  for (const Row& row : kRows) names.emplace_back(row.name);
  return names;
}

std::string default_implementations(bool with_mpi) { return with_mpi ? "shm,mpi,mpi_plain" : "self"; }

std::unique_ptr<Implementation> connect(const std::string& name, const CommunicatorParts& parts) {
  const auto* const row = std::ranges::find(kRows, name, &Row::name);
  if (row == std::end(kRows)) {
    throw Error(ExitCode::usage,
                fmt::format("--backends: there is no backend '{}'; there are {}", name,
                            fmt::join(implementation_names(), ", ")),
                Scope::every_rank);
  }
  return row->connect(parts);
}

}  // namespace lockstep::bench
