#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/exit_code.h"
#include "base/trace.h"

namespace lockstep {

class MpiSession;

// The status page: what every rank of this host is doing, one StatusLine per rank, in memory that all of them map. Set
// up once; from then on it is written and read without MPI, so it stays readable while a collective hangs.
//
// Owned by main; outlives the Traces that write its lines. Any thread may call. The memory never has a name in a file
// system, so nothing of it is left over, however and whenever the job ends.
class NodePage {
 public:
  // Local rank 0 makes the page, the others open it. COLLECTIVE over the ranks of the host. If shared memory cannot be
  // used, every rank gets a page of its own, on which the other lines stay empty, and warning() says so.
  static std::unique_ptr<NodePage> shared(MpiSession& session);
  // For ranks of one process: a world of one, or threads.
  static std::unique_ptr<NodePage> in_process(int ranks);

  NodePage(const NodePage&) = delete;
  NodePage& operator=(const NodePage&) = delete;

  std::span<StatusLine> lines() { return lines_; }
  std::span<const StatusLine> lines() const { return lines_; }
  StatusLine& line(int local_rank) { return lines_[static_cast<std::size_t>(local_rank)]; }

  const std::string& warning() const { return warning_; }  // "" = the page is shared as it should be

  // Each is true for its first caller of the host only: the one that prints the verdict of a hang, the report of a late
  // rank, or the job's one error message.
  bool claim_verdict() { return !header_->verdict.exchange(true); }
  bool claim_late() { return !header_->late.exchange(true); }
  bool claim_message() { return !header_->message.exchange(true); }

  // Says to all ranks that the job is over, and with which code.
  void end_job(ExitCode code) { header_->code_of_job = static_cast<int>(code); }
  // Nothing until then.
  std::optional<ExitCode> code_of_job() const {
    const int code = header_->code_of_job;
    return code < 0 ? std::nullopt : std::optional(static_cast<ExitCode>(code));
  }

 private:
  struct alignas(64) Header {
    std::atomic<bool> verdict{false};
    std::atomic<bool> message{false};
    std::atomic<bool> late{false};
    std::atomic<int> code_of_job{-1};
  };

  NodePage(std::shared_ptr<std::byte> memory, int ranks);
  static void construct(std::byte* memory, int ranks);
  static std::size_t bytes_for(int ranks) {
    return sizeof(Header) + sizeof(StatusLine) * static_cast<std::size_t>(ranks);
  }

  std::shared_ptr<std::byte> memory_;
  Header* header_;
  std::span<StatusLine> lines_;
  std::string warning_;
};

}  // namespace lockstep
