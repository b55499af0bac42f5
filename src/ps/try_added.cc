#include "ps/try_added.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {
namespace {

constexpr std::int64_t kMostTried = 1024;  // values of a server

// Whole numbers, as many as are tried at a server, times a factor.
std::vector<float> tried_numbers(const PsGroup& group, int server, int factor) {
  std::vector<float> numbers(static_cast<std::size_t>(std::min(group.range(server).count(), kMostTried)));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<float>(factor * (server + 1 + static_cast<int>(i % 7)));
  }
  return numbers;
}

// A client's part.
void add_everywhere(Window& window, const PsGroup& group, int factor) {
  for (int server = 0; server < group.servers(); ++server) {
    const std::vector<float> numbers = tried_numbers(group, server, factor);
    window.add(group.rank_of(server), 0, numbers);
    window.flush(group.rank_of(server));
  }
}

// Compares a server's values with the sum of what all clients have added.
std::string compare_added(Window& window, const PsGroup& group, int server, int factor) {
  const std::vector<float> expected = tried_numbers(group, server, factor);
  std::vector<float> read(expected.size());
  window.read_added(group.rank_of(server), 0, read);
  window.flush(group.rank_of(server));
  if (read == expected) return "";
  return fmt::format("rank {} has found other numbers in the memory of rank {} than were added there", window.rank(),
                     group.rank_of(server));
}

}  // namespace

std::string try_added(Window& window, Communicator& ranks, const PsGroup& group) {
  const bool is_client = ranks.rank() < group.clients;
  const int own = ranks.rank() + 1;
  const int all = group.clients * (group.clients + 1) / 2;
  std::string wrong;
  const auto compare = [&](int sum) {
    for (int server = 0; server < group.servers() && wrong.empty(); ++server) {
      wrong = compare_added(window, group, server, sum);
    }
    ranks.barrier();
  };
  for (const bool adds : {true, false}) {  // then takes it away again
    if (is_client) add_everywhere(window, group, adds ? own : -own);
    ranks.barrier();
    compare(adds ? all : 0);
  }
  return wrong;
}

}  // namespace lockstep
