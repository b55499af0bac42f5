#include "train/strategy/host_arrays.h"

#include <span>

namespace lockstep {
namespace {

Tensor on_host(std::vector<float>& values) {
  return {values.data(), DType::float32, Shape{static_cast<std::int64_t>(values.size())}};
}

}  // namespace

void copy_to_host(Backend& backend, const Tensor& from, std::vector<float>& into) {
  into.resize(static_cast<std::size_t>(from.count()));
  if (into.empty()) return;
  backend.copy(from, on_host(into));
  backend.synchronize();
}

void copy_from_host(Backend& backend, std::vector<float>& from, const Tensor& into) {
  if (from.empty()) return;
  backend.copy(on_host(from), into);
  backend.synchronize();
}

void broadcast_array(Communicator& communicator, Backend& backend, std::vector<float>* chiefs, const Tensor& into) {
  std::vector<float> received;
  std::vector<float>& values = chiefs != nullptr ? *chiefs : received;
  values.resize(static_cast<std::size_t>(into.count()));
  communicator.broadcast(std::as_writable_bytes(std::span(values)), 0);
  copy_from_host(backend, values, into);
}

}  // namespace lockstep
