#include "plain_mpi.h"

#include <fmt/format.h>
#include <malloc.h>

#include <climits>
#include <optional>

#include "collective/mpi/mpi_call.h"
#include "collective/mpi/mpi_session.h"

namespace lockstep::bench {
namespace {

MPI_Datatype type_of(const Case& c) {
  switch (c.dtype) {
    case DType::float32:
      return MPI_FLOAT;
    case DType::float64:
      return MPI_DOUBLE;
    case DType::uint8:
      return MPI_UINT8_T;
    default:
      if (!sums(c.op)) return MPI_UINT16_T;  // moved, not read
      throw Error(ExitCode::configuration, fmt::format("--backends=mpi_plain: MPI does not add up {}", name(c.dtype)),
                  Scope::every_rank);
  }
}

// Sets malloc's thresholds, for the time of a call, to the values at which glibc's own adaptation ends, as in a program
// that leaves them alone: Open MPI allocates memory for each sum and frees it, and above 32 MB glibc then takes fresh
// pages from the kernel each time. MpiSession spares our own calls that.
class GlibcThresholds {
 public:
  GlibcThresholds() { set(32 << 20, 64 << 20); }  // where glibc's own adaptation ends
  ~GlibcThresholds() { set(1 << 30, INT_MAX); }   // MpiSession's
  GlibcThresholds(const GlibcThresholds&) = delete;
  GlibcThresholds& operator=(const GlibcThresholds&) = delete;

  static constexpr std::int64_t kLeastBytes = 1 << 20;  // below, only the cost of setting them would show

 private:
  static void set(int mmap, int trim) {
    mallopt(M_MMAP_THRESHOLD, mmap);
    mallopt(M_TRIM_THRESHOLD, trim);
  }
};

class PlainMpi final : public Implementation {
 public:
  explicit PlainMpi(MPI_Comm world) : world_(world) {}

  Buffer allocate(std::size_t bytes) override { return heap_.allocate(bytes); }

  void run(const Case& c, const Tensor& values, std::span<const FlatRange> slices) override {
    if (values.count() > INT_MAX) {
      throw Error(
          ExitCode::configuration,
          fmt::format("--backends=mpi_plain: MPI's counts are ints, and {} elements are too many", values.count()),
          Scope::every_rank);
    }
    const MPI_Datatype type = type_of(c);
    const auto count = static_cast<int>(values.count());
    void* const data = values.data();
    std::optional<GlibcThresholds> thresholds;
    if (c.bytes >= GlibcThresholds::kLeastBytes) thresholds.emplace();
    switch (c.op) {
      case Collective::all_reduce:
        LS_MPI(MPI_Allreduce(MPI_IN_PLACE, data, count, type, MPI_SUM, world_), count);
        break;
      case Collective::reduce_scatter:
        cut(slices);
        LS_MPI(MPI_Reduce_scatter(MPI_IN_PLACE, data, counts_.data(), type, MPI_SUM, world_), count);
        break;
      case Collective::all_gather:
        cut(slices);
        LS_MPI(MPI_Allgatherv(MPI_IN_PLACE, 0, type, data, counts_.data(), offsets_.data(), type, world_), count);
        break;
      case Collective::broadcast:
        LS_MPI(MPI_Bcast(data, count, type, 0, world_), count);
        break;
    }
  }

  // With MPI_IN_PLACE, MPI_Reduce_scatter leaves this rank's slice at the front of the buffer.
  Tensor own_slice(const Tensor& values, FlatRange slice) const override { return values.flat({0, slice.count()}); }

  void close() override {}

 private:
  void cut(std::span<const FlatRange> slices) {
    counts_.clear();
    offsets_.clear();
    for (const FlatRange& slice : slices) {
      counts_.push_back(static_cast<int>(slice.count()));
      offsets_.push_back(static_cast<int>(slice.begin));
    }
  }

  MPI_Comm world_;
  HostAllocator heap_;
  std::vector<int> counts_;
  std::vector<int> offsets_;
};

}  // namespace

std::unique_ptr<Implementation> make_plain_mpi(const CommunicatorParts& parts) {
  if (parts.session != nullptr) return std::make_unique<PlainMpi>(parts.session->handles().world);
  throw Error(ExitCode::configuration,
              "--backends=mpi_plain: this process was started alone, without MPI; start it with mpirun",
              Scope::every_rank);
}

}  // namespace lockstep::bench
