#include "holder_process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

extern char** environ;

namespace lockstep {

// Uses sockets, because a write to one whose reader is dead need not raise SIGPIPE. Spawns instead of forking: under
// the thread sanitizer the child of a fork from a process with threads cannot start threads.
HolderProcess::HolderProcess(Links links) {
  int ends[2] = {};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string program = LOCKSTEP_LEASE_HOLDER;
  std::string no_links = "--no_links";
  char* const arguments[] = {program.data(), links == Links::no ? no_links.data() : nullptr, nullptr};
  const int failure = ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  socket_ = ends[0];
  REQUIRE(failure == 0);
}

HolderProcess::~HolderProcess() {
  reap();
  ::close(socket_);
}

void HolderProcess::order(const std::string& line) {
  const std::string text = line + "\n";
  REQUIRE(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
}

std::string HolderProcess::answer() {
  std::string line;
  char letter = 0;
  while (::read(socket_, &letter, 1) == 1 && letter != '\n') line += letter;
  return line;
}

void HolderProcess::kill() {
  ::kill(pid_, SIGKILL);
  siginfo_t how{};
  ::waitid(P_PID, static_cast<id_t>(pid_), &how, WEXITED | WNOWAIT);
}

void HolderProcess::reap() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

}  // namespace lockstep
