#include "support/thread_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr std::size_t kCopiedBytes = 4096;  // the most that send() copies
constexpr int kTags = 1000;

struct ThreadMessage {
  int from = 0;
  int tag = 0;
  std::uint64_t number = 0;          // of the sender
  std::vector<std::byte> copy;       // of a small message
  std::span<const std::byte> bytes;  // the copy or the sender's buffer
};

// The state that ranks share: for each rank the messages sent to it and not yet received, in the order in which they
// were sent, and the numbers of its own large messages among those of the others. The mutex guards all of it.
struct ThreadMailboxes {
  explicit ThreadMailboxes(int size)
      : messages(static_cast<std::size_t>(size)), under_way(static_cast<std::size_t>(size)) {}

  std::mutex mutex;
  std::vector<std::deque<ThreadMessage>> messages;
  std::vector<std::set<std::uint64_t>> under_way;
};

class ThreadMessages final : public Messages {
 public:
  ThreadMessages(std::shared_ptr<ThreadMailboxes> boxes, Communicator& communicator, const ThreadWorld& world)
      : boxes_(std::move(boxes)), communicator_(communicator), world_(world) {}

  ~ThreadMessages() override {
    const std::scoped_lock lock(boxes_->mutex);
    for (std::deque<ThreadMessage>& box : boxes_->messages) {
      std::erase_if(box, [this](const ThreadMessage& message) { return message.from == rank(); });
    }
  }

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }

  Started send(int to, int tag, std::span<const std::byte> bytes) override {
    check_call(to, tag);
    const Started started = start();
    ThreadMessage message{rank(), tag, started.number, {}, bytes};
    const bool copied = bytes.size() <= kCopiedBytes;
    if (copied) {
      message.copy.assign(bytes.begin(), bytes.end());
      message.bytes = message.copy;  // moving a vector leaves its memory in place
    }
    const std::scoped_lock lock(boxes_->mutex);
    if (!copied) boxes_->under_way[at(rank())].insert(started.number);
    boxes_->messages[at(to)].push_back(std::move(message));
    return started;
  }

  Started receive(int from, int tag, std::span<std::byte> bytes) override {
    check_call(from, tag);
    {
      const std::scoped_lock lock(boxes_->mutex);
      take_all();  // those of earlier receives, so that a message which is there then is this receive's
      if (const auto message = first_from(from, tag); message != box().end()) check_size(*message, bytes.size());
    }
    const Started started = start();
    receives_.push_back({from, tag, started.number, bytes});
    move_on();
    return started;
  }

  bool done(Started started) override {
    check_world();
    LS_CHECK(started.number <= last_, fmt::format("message {}, of {} that were started", started.number, last_));
    move_on();
    if (!started_.contains(started.number)) return true;  // asked for again
    const std::scoped_lock lock(boxes_->mutex);
    const bool receiving = std::ranges::find(receives_, started.number, &Receive::number) != receives_.end();
    if (receiving || boxes_->under_way[at(rank())].contains(started.number)) return false;
    started_.erase(started.number);
    return true;
  }

  std::optional<Arrival> arrived(int tag) override {
    check_call(rank(), tag);
    return first_of([this, tag] { return std::ranges::find(box(), tag, &ThreadMessage::tag); });
  }

  std::optional<Arrival> arrived_from(int from, int tag) override {
    check_call(from, tag);
    return first_of([this, from, tag] { return first_from(from, tag); });
  }

  void close() override {
    LS_CHECK(started_.empty(), fmt::format("close(): {} messages of rank {} are not done", started_.size(), rank()));
    communicator_.barrier();
    const std::scoped_lock lock(boxes_->mutex);
    LS_CHECK(box().empty(), fmt::format("close(): rank {} has not received {} messages", rank(), box().size()));
  }

 private:
  struct Receive {
    int from, tag;
    std::uint64_t number;
    std::span<std::byte> into;
  };

  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

  void check_world() const {
    if (const std::string why = world_.poison_message(); !why.empty()) throw Error(ExitCode::internal, why);
  }

  void check_call(int peer, int tag) const {
    LS_CHECK(0 <= peer && peer < size(), fmt::format("a message with rank {} of {}", peer, size()));
    LS_CHECK(0 <= tag && tag < kTags, fmt::format("a message of tag {}", tag));
    check_world();
  }

  Started start() {
    started_.insert(++last_);
    return {last_};
  }

  // find: returns an iterator of box().
  template <class Find>
  std::optional<Arrival> first_of(Find find) {
    move_on();
    const std::scoped_lock lock(boxes_->mutex);
    const auto message = find();
    if (message == box().end()) return std::nullopt;
    return Arrival{message->from, static_cast<std::int64_t>(message->bytes.size())};
  }

  // Copies the messages that this rank has started to receive and that are there.
  void move_on() {
    const std::scoped_lock lock(boxes_->mutex);
    take_all();
  }

  // The lock is held when these are called.
  void take_all() {
    std::erase_if(receives_, [this](const Receive& receive) { return take(receive); });
  }
  std::deque<ThreadMessage>& box() { return boxes_->messages[at(rank())]; }

  std::deque<ThreadMessage>::iterator first_from(int from, int tag) {
    return std::ranges::find_if(
        box(), [from, tag](const ThreadMessage& message) { return message.from == from && message.tag == tag; });
  }

  void check_size(const ThreadMessage& message, std::size_t expected) const {
    LS_CHECK(message.bytes.size() == expected,
             fmt::format("rank {} awaits a message of {} bytes with tag {} from rank {}, which sends {} bytes", rank(),
                         expected, message.tag, message.from, message.bytes.size()));
  }

  // Returns whether the message was there.
  bool take(const Receive& receive) {
    const auto message = first_from(receive.from, receive.tag);
    if (message == box().end()) return false;
    check_size(*message, receive.into.size());
    if (!receive.into.empty()) std::memcpy(receive.into.data(), message->bytes.data(), receive.into.size());
    boxes_->under_way[at(receive.from)].erase(message->number);
    box().erase(message);
    return true;
  }

  std::shared_ptr<ThreadMailboxes> boxes_;
  Communicator& communicator_;
  const ThreadWorld& world_;
  std::vector<Receive> receives_;    // not received yet, in the order in which they were started
  std::set<std::uint64_t> started_;  // numbers whose done() has not been true yet
  std::uint64_t last_ = 0;
};

}  // namespace

std::unique_ptr<Messages> make_thread_messages(Communicator& communicator, const ThreadWorld& world) {
  std::shared_ptr<ThreadMailboxes> boxes;
  if (communicator.rank() == 0) boxes = std::make_shared<ThreadMailboxes>(communicator.size());
  const std::shared_ptr<ThreadMailboxes>* of_first = &boxes;
  broadcast_value(communicator, of_first, 0);
  if (communicator.rank() != 0) boxes = *of_first;
  communicator.barrier();
  return std::make_unique<ThreadMessages>(std::move(boxes), communicator, world);
}

}  // namespace lockstep
