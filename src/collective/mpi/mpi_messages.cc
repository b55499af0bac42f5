#include "collective/mpi/mpi_messages.h"

#include <fmt/format.h>

#include <climits>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>

#include "collective/mpi/mpi_call.h"
#include "collective/mpi/mpi_session.h"

namespace lockstep {
namespace {

constexpr int kMessageTags = 1000;
constexpr MPI_Count kAnySize = -1;

// The count and type that describe a message to MPI, whose counts are ints: its bytes or, if they are too many, one
// element of a type made for it. So each message is one of MPI's, whatever its size.
class MessageType {
 public:
  explicit MessageType(std::size_t bytes) {
    if (bytes <= INT_MAX) {
      count_ = static_cast<int>(bytes);
      return;
    }
    constexpr int kBlock = 1 << 20;
    const std::size_t blocks = bytes / kBlock;
    LS_CHECK(blocks <= INT_MAX, fmt::format("a message of {} bytes", bytes));
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Datatype whole_blocks = MPI_DATATYPE_NULL;
    LS_MPI(MPI_Type_contiguous(kBlock, MPI_BYTE, &block), kBlock);
    LS_MPI(MPI_Type_contiguous(static_cast<int>(blocks), block, &whole_blocks), static_cast<std::int64_t>(blocks));
    const int lengths[] = {1, static_cast<int>(bytes % kBlock)};
    const MPI_Aint offsets[] = {0, static_cast<MPI_Aint>(blocks) * kBlock};
    const MPI_Datatype types[] = {whole_blocks, MPI_BYTE};
    LS_MPI(MPI_Type_create_struct(2, lengths, offsets, types, &type_), 2);
    LS_MPI(MPI_Type_commit(&type_), 1);
    LS_MPI(MPI_Type_free(&whole_blocks), 1);
    LS_MPI(MPI_Type_free(&block), 1);
    count_ = 1;
  }
  MessageType(const MessageType&) = delete;
  MessageType& operator=(const MessageType&) = delete;
  ~MessageType() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);  // messages that were started with it keep it alive
  }

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

class MpiMessages final : public Messages {
 public:
  MpiMessages(MpiSession& session, std::span<const int> members) : session_(session) {
    const std::scoped_lock lock(session_.mutex());
    const MPI_Comm world = session_.handles().world;
    if (members.empty()) {
      LS_MPI(MPI_Comm_dup(world, &handle_), 1);
    } else {
      const int count = static_cast<int>(members.size());
      MPI_Group all = MPI_GROUP_NULL;
      MPI_Group group = MPI_GROUP_NULL;
      LS_MPI(MPI_Comm_group(world, &all), 1);
      LS_MPI(MPI_Group_incl(all, count, members.data(), &group), count);
      LS_MPI(MPI_Comm_create_group(world, group, 0, &handle_), count);
      LS_MPI(MPI_Group_free(&group), 1);
      LS_MPI(MPI_Group_free(&all), 1);
    }
    LS_MPI(MPI_Comm_rank(handle_, &rank_), 1);
    LS_MPI(MPI_Comm_size(handle_, &size_), 1);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Started send(int to, int tag, std::span<const std::byte> bytes) override {
    check_call(to, tag);
    const std::scoped_lock lock(session_.mutex());
    const MessageType type(bytes.size());
    Request& request = start(to, tag, kAnySize);
    check("MPI_Isend", MPI_Isend(bytes.data(), type.count(), type.type(), to, tag, handle_, &request.handle), request,
          bytes.size());
    return {last_};  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): done() waits
  }

  Started receive(int from, int tag, std::span<std::byte> bytes) override {
    check_call(from, tag);
    const std::scoped_lock lock(session_.mutex());
    const auto size = static_cast<MPI_Count>(bytes.size());
    // A message that a probe finds is not one of those that earlier receives wait for: it is this one's.
    if (const auto message = probe(from, tag)) check_size({MPI_REQUEST_NULL, from, tag, size}, message->bytes);
    const MessageType type(bytes.size());
    Request& request = start(from, tag, size);
    check("MPI_Irecv", MPI_Irecv(bytes.data(), type.count(), type.type(), from, tag, handle_, &request.handle), request,
          bytes.size());
    return {last_};  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): done() waits
  }

  bool done(Started started) override {
    LS_CHECK(started.number <= last_, fmt::format("message {}, of {} that were started", started.number, last_));
    const auto found = requests_.find(started.number);
    if (found == requests_.end()) return true;  // asked for again
    Request& request = found->second;
    int is_done = 0;
    MPI_Status status{};
    const std::scoped_lock lock(session_.mutex());
    const int code = MPI_Test(&request.handle, &is_done, &status);
    const bool receives = request.expected != kAnySize;
    if (receives && (code == MPI_SUCCESS ? is_done != 0 : is_truncation(code))) check_size(request, size_in(status));
    check("MPI_Test", code, request, 0);
    if (is_done != 0) requests_.erase(found);
    return is_done != 0;
  }

  std::optional<Arrival> arrived(int tag) override {
    check_call(rank(), tag);
    const std::scoped_lock lock(session_.mutex());
    return probe(MPI_ANY_SOURCE, tag);
  }

  std::optional<Arrival> arrived_from(int from, int tag) override {
    check_call(from, tag);
    const std::scoped_lock lock(session_.mutex());
    return probe(from, tag);
  }

  void close() override {
    LS_CHECK(requests_.empty(), fmt::format("close(): {} messages of rank {} are not done", requests_.size(), rank()));
    const std::scoped_lock lock(session_.mutex());
    LS_MPI(MPI_Comm_free(&handle_), 1);
  }

 private:
  struct Request {
    MPI_Request handle = MPI_REQUEST_NULL;
    int peer = 0;
    int tag = 0;
    MPI_Count expected = kAnySize;  // bytes to receive; kAnySize: a send
  };

  void check_call(int peer, int tag) const {
    LS_CHECK(0 <= peer && peer < size(), fmt::format("a message with rank {} of {}", peer, size()));
    LS_CHECK(0 <= tag && tag < kMessageTags, fmt::format("a message of tag {}", tag));
  }

  static void check(const char* call, int code, const Request& request, std::size_t bytes) {
    if (code == MPI_SUCCESS) return;
    const char* const way = request.expected == kAnySize ? "to" : "from";
    const std::string text = fmt::format("{} {} rank {} with tag {}", call, way, request.peer, request.tag);
    check_mpi(code, static_cast<std::int64_t>(bytes), LS_HERE(text.c_str()));
  }

  void check_size(const Request& request, MPI_Count sent) const {
    LS_CHECK(sent == request.expected,
             fmt::format("rank {} awaits a message of {} bytes with tag {} from rank {}, which sends {} bytes", rank(),
                         request.expected, request.tag, request.peer, sent));
  }

  static bool is_truncation(int code) {
    int kind = MPI_SUCCESS;
    MPI_Error_class(code, &kind);
    return kind == MPI_ERR_TRUNCATE;
  }

  static MPI_Count size_in(const MPI_Status& status) {
    MPI_Count bytes = 0;
    LS_MPI(MPI_Get_elements_x(&status, MPI_BYTE, &bytes), 1);
    return bytes;
  }

  // The lock is held when these are called.
  std::optional<Arrival> probe(int from, int tag) {
    int there = 0;
    MPI_Status status{};
    LS_MPI(MPI_Iprobe(from, tag, handle_, &there, &status), from);
    if (there == 0) return std::nullopt;
    return Arrival{status.MPI_SOURCE, size_in(status)};
  }

  Request& start(int peer, int tag, MPI_Count expected) {
    return requests_[++last_] = {MPI_REQUEST_NULL, peer, tag, expected};
  }

  MpiSession& session_;
  int rank_ = 0;
  int size_ = 1;
  MPI_Comm handle_ = MPI_COMM_NULL;
  std::unordered_map<std::uint64_t, Request> requests_;  // whose done() has not been true yet
  std::uint64_t last_ = 0;
};

}  // namespace

std::unique_ptr<Messages> make_mpi_messages(MpiSession& session, std::span<const int> members) {
  return std::make_unique<MpiMessages>(session, members);
}

}  // namespace lockstep
