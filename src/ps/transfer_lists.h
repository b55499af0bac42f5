#pragma once

#include <cstddef>
#include <optional>
#include <vector>

// The lists that a server's transfers keep of what is under way.
namespace lockstep {

// Removes the first element of a queue and returns it; nothing if the queue is empty.
template <class Queue>
std::optional<typename Queue::value_type> take_first(Queue& queue) {
  if (queue.empty()) return std::nullopt;
  const typename Queue::value_type first = queue.front();
  queue.pop_front();
  return first;
}

// Removes a client's elements, and returns the copies of the values that they name.
template <class List>
std::vector<std::size_t> take_copies_of(int client, List& list) {
  std::vector<std::size_t> copies;
  std::erase_if(list, [&](const auto& element) {
    if (element.client == client) copies.push_back(element.copy);
    return element.client == client;
  });
  return copies;
}

}  // namespace lockstep
