#include "collective/communication_thread.h"

#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/worker_thread.h"

namespace lockstep {
namespace {

// Memory of an allocator of the inner communicator. Its Buffers keep it, and the communicator, until the operations
// under way are done.
class LastingAllocator final : public Allocator {
 public:
  LastingAllocator(std::shared_ptr<WorkerThread> queue, std::shared_ptr<Communicator> inner, Allocator& allocator)
      : queue_(std::move(queue)), inner_(std::move(inner)), allocator_(allocator) {}

  Device device() const override { return allocator_.device(); }
  bool is_common() const override { return allocator_.is_common(); }

  Buffer allocate(std::size_t bytes) override {
    auto memory = std::make_shared<Memory>(Memory{inner_, {}});
    // If there is no room, this call fails and the thread goes on: the caller may take another communicator.
    auto failure = std::make_shared<std::exception_ptr>();
    queue_->run([memory, &allocator = allocator_, bytes, failure] {
      try {
        memory->buffer = allocator.allocate(bytes);
      } catch (const Error&) {
        *failure = std::current_exception();
      }
    });
    if (*failure) std::rethrow_exception(*failure);
    const Buffer& buffer = memory->buffer;
    return {buffer.data(), buffer.bytes(), buffer.device(),
            [memory, queue = queue_](void* /*data*/) mutable { queue->keep_while_busy(std::move(memory)); }};
  }

 private:
  struct Memory {
    std::shared_ptr<Communicator> owner;  // the allocator's; destroyed after the buffer
    Buffer buffer;
  };

  std::shared_ptr<WorkerThread> queue_;
  std::shared_ptr<Communicator> inner_;
  Allocator& allocator_;
};

class CommunicationThread final : public Communicator {
 public:
  CommunicationThread(std::shared_ptr<WorkerThread> queue, std::shared_ptr<Communicator> inner, Overlap overlap)
      : queue_(std::move(queue)),
        inner_(std::move(inner)),
        allocator_(queue_, inner_, inner_->allocator()),
        overlap_(overlap) {
    if (Allocator* const common = inner_->common_memory()) common_.emplace(queue_, inner_, *common);
  }

  ~CommunicationThread() override {
    if (open_) abandon();
  }
  CommunicationThread(const CommunicationThread&) = delete;
  CommunicationThread& operator=(const CommunicationThread&) = delete;

  const char* name() const override { return inner_->name(); }
  std::string summation() const override { return inner_->summation(); }
  bool scatters_alike() const override { return inner_->scatters_alike(); }
  std::string details() const override { return inner_->details(); }
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  Allocator& allocator() override { return allocator_; }
  Allocator* common_memory() override { return common_ ? &*common_ : nullptr; }

  bool set_overlap(Overlap overlap) override {
    queue_->run([] {});  // waits until all queued operations have ended
    overlap_ = overlap;
    return true;
  }

  Ticket all_reduce(const Tensor& values, Event after) override {
    if (overlap_ == Overlap::inline_calls) return done(inner_->all_reduce(values, after));
    return {queue_->add([inner = inner_, values, after] { inner->wait(inner->all_reduce(values, after)); })};
  }

  Ticket reduce_scatter(const Tensor& values, std::span<const FlatRange> slices, Event after) override {
    if (overlap_ == Overlap::inline_calls) return done(inner_->reduce_scatter(values, slices, after));
    return {queue_->add([inner = inner_, values, slices = std::vector(slices.begin(), slices.end()), after] {
      inner->wait(inner->reduce_scatter(values, slices, after));
    })};
  }

  Ticket all_gather(const Tensor& values, std::span<const FlatRange> slices, Event after) override {
    if (overlap_ == Overlap::inline_calls) return done(inner_->all_gather(values, slices, after));
    return {queue_->add([inner = inner_, values, slices = std::vector(slices.begin(), slices.end()), after] {
      inner->wait(inner->all_gather(values, slices, after));
    })};
  }

  Ticket broadcast(const Tensor& values, int root, Event after) override {
    if (overlap_ == Overlap::inline_calls) return done(inner_->broadcast(values, root, after));
    return {queue_->add([inner = inner_, values, root, after] { inner->wait(inner->broadcast(values, root, after)); })};
  }

  Ticket tree_all_reduce(const TreePlan& plan, std::span<const Tensor> parts, const Tensor& result) override {
    if (overlap_ == Overlap::inline_calls) return done(inner_->tree_all_reduce(plan, parts, result));
    return {queue_->add([inner = inner_, plan, parts = std::vector(parts.begin(), parts.end()), result] {
      inner->wait(inner->tree_all_reduce(plan, parts, result));
    })};
  }

  void wait(Ticket ticket) override { queue_->wait(ticket.number); }

  void barrier() override {
    run([inner = inner_] { inner->barrier(); });
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    run([inner = inner_, bytes, root] { inner->broadcast(bytes, root); });
  }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    run([inner = inner_, mine, all] { inner->all_gather(mine, all); });
  }
  void exchange(std::span<const SendPiece> sends, std::span<const ReceivePiece> receives) override {
    run([inner = inner_, sends, receives] { inner->exchange(sends, receives); });
  }

  std::unique_ptr<Communicator> split(int color, int key) override {
    auto part = std::make_shared<std::shared_ptr<Communicator>>();
    run([inner = inner_, part, color, key] { *part = inner->split(color, key); });
    if (*part == nullptr) return nullptr;
    return std::make_unique<CommunicationThread>(queue_, std::move(*part), overlap_);
  }

  void close() override {
    run([inner = inner_] { inner->close(); });
    open_ = false;
  }

  void abandon() noexcept override {
    queue_->drop();
    inner_->abandon();
  }

 private:
  // Waits for an operation that was started on the caller's thread.
  Ticket done(Ticket ticket) {
    inner_->wait(ticket);
    return {};
  }
  template <class Operation>
  void run(const Operation& operation) {
    if (overlap_ == Overlap::inline_calls) return operation();
    queue_->run(operation);
  }

  std::shared_ptr<WorkerThread> queue_;
  std::shared_ptr<Communicator> inner_;
  LastingAllocator allocator_;
  std::optional<LastingAllocator> common_;
  Overlap overlap_;
  bool open_ = true;
};

}  // namespace

std::unique_ptr<Communicator> make_communication_thread(std::unique_ptr<Communicator> inner) {
  return std::make_unique<CommunicationThread>(std::make_shared<WorkerThread>(), std::move(inner), Overlap::thread);
}

}  // namespace lockstep
