#include "ps/added_state.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lockstep {

AddedState::AddedState(Window& window, std::int64_t count) : window_(window), copy_(static_cast<std::size_t>(count)) {
  const std::int64_t bytes = window.bytes_of(window.rank());
  LS_CHECK(bytes == count * static_cast<std::int64_t>(sizeof(float)),
           fmt::format("rank {} offers {} bytes for {} values", window.rank(), bytes, count));
}

std::vector<Tensor> AddedState::tensors() {
  window_.read_added(window_.rank(), 0, copy_);
  window_.flush(window_.rank());
  return {Tensor(copy_.data(), DType::float32, {std::ssize(copy_)})};
}

void AddedState::begin(std::int64_t /*optimizer_begun*/, std::int64_t /*average_begun*/) {
  window_.add(window_.rank(), 0, copy_);
  window_.flush(window_.rank());
}

}  // namespace lockstep
