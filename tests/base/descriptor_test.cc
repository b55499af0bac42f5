#include "base/descriptor.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_folder.h"

namespace lockstep {
namespace {

bool is_open(int number) { return ::fcntl(number, F_GETFD) != -1; }

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Two connected sockets whose buffers hold a few kilobytes: much more is moved in many pieces.
struct Connection {
  Connection() {
    std::array<int, 2> numbers{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, numbers.data()) == 0);
    from = Descriptor(numbers[0]);
    to = Descriptor(numbers[1]);
    const int small = 4096;
    REQUIRE(::setsockopt(to.number(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small) == 0);
  }
  Descriptor from;
  Descriptor to;
};

// Installs a handler under which signals only interrupt system calls.
class Interruptions {
 public:
  Interruptions() {
    struct sigaction action {};
    action.sa_handler = [](int) {};  // without SA_RESTART
    REQUIRE(::sigaction(SIGUSR2, &action, &before_) == 0);
  }
  ~Interruptions() { ::sigaction(SIGUSR2, &before_, nullptr); }
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace

TEST_CASE("descriptor: closes what it owns, once") {
  const TemporaryFolder folder;
  Descriptor first = open_descriptor(folder.path(), O_RDONLY | O_DIRECTORY);
  REQUIRE(first.is_open());
  const int number = first.number();
  CHECK((::fcntl(number, F_GETFD) & FD_CLOEXEC) != 0);
  {
    const Descriptor second = std::move(first);
    CHECK(second.number() == number);
    CHECK(is_open(number));
  }
  CHECK_FALSE(is_open(number));
  CHECK_FALSE(first.is_open());
  CHECK(first.close() == 0);
  CHECK(Descriptor(number).close() == EBADF);
}

TEST_CASE("descriptor: what cannot be opened leaves the reason in errno") {
  const TemporaryFolder folder;
  const Descriptor none = open_descriptor(folder / "nowhere", O_RDONLY);
  CHECK(errno == ENOENT);
  CHECK_FALSE(none.is_open());
  CHECK(system_message(ENOENT) == "No such file or directory");
}

TEST_CASE("descriptor: reads and writes at places, and short where the file ends") {
  const TemporaryFolder folder;
  const Descriptor file = open_descriptor(folder / "a", O_RDWR | O_CREAT, 0600);
  CHECK(write_fully(file.number(), bytes_of("0123456789")).bytes == 10);
  CHECK(write_fully(file.number(), bytes_of("xy"), 4).bytes == 2);
  CHECK(write_fully(file.number(), {}).error == 0);
  std::array<std::byte, 4> four{};
  CHECK(read_fully(file.number(), four, 3).bytes == 4);
  CHECK(text_of(four) == "3xy6");
  const Transfer end = read_fully(file.number(), four, 9);
  CHECK(end.bytes == 1);
  CHECK(end.error == 0);
  CHECK(read_fully(file.number(), four).bytes == 0);  // at end of file
}

TEST_CASE("descriptor: an error says how far it came") {
  const Descriptor full = open_descriptor("/dev/full", O_RDWR);
  const Transfer done = write_fully(full.number(), bytes_of("abc"));
  CHECK(done.bytes == 0);
  CHECK(done.error == ENOSPC);
  std::array<std::byte, 1> one{};
  const Descriptor folder = open_descriptor("/", O_RDONLY | O_DIRECTORY);
  CHECK(read_fully(folder.number(), one).error == EISDIR);
}

TEST_CASE("descriptor: pieces and signals do not cut a transfer short") {
  const Interruptions interruptions;
  Connection connection;
  const std::vector<std::byte> sent(300'001, std::byte{7});
  std::vector<std::byte> received(sent.size());
  std::jthread reader([&] { CHECK(read_fully(connection.from.number(), received).bytes == sent.size()); });
  std::jthread writer([&] { CHECK(write_fully(connection.to.number(), sent).bytes == sent.size()); });
  for (int i = 0; i < 100; ++i) {
    ::pthread_kill(reader.native_handle(), SIGUSR2);
    ::pthread_kill(writer.native_handle(), SIGUSR2);
    std::this_thread::yield();
  }
  writer.join();
  reader.join();
  CHECK(received == sent);
}

}  // namespace lockstep
