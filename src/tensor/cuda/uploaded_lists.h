#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "tensor/cuda/cuda_allocator.h"
#include "tensor/cuda/gpu_runtime.h"

namespace lockstep {

// Lists that the host makes for kernels to read. They go to the GPU through pinned memory in the order of a stream: the
// caller may reuse its own memory at once, and the host waits only if it is kLists lists ahead of the GPU. A list with
// the bytes of one that is there already is not copied again, as the layers of a network all ask for the same. In a
// graph the copies run with it, so the lists of one graph have places of their own, however many they are.
//
// Belongs to a backend, and is used by its thread with its stream; its device is selected, in the destructor as well.
// The allocators keep what is freed while the stream is capturing.
// REQUIRES: the stream has come to its end before the destructor.
class UploadedLists {
 public:
  static constexpr std::size_t kLists = 32;

  UploadedLists(CudaAllocator& allocator, PinnedAllocator& pinned) : allocator_(allocator), pinned_(pinned) {}
  ~UploadedLists();
  UploadedLists(const UploadedLists&) = delete;
  UploadedLists& operator=(const UploadedLists&) = delete;

  // The address of the list on the GPU, for work that the stream takes before kLists - 1 further calls; null if it is
  // empty.
  template <class T>
  const T* upload(std::span<const T> list, GpuStream stream) {
    static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>,
                  "lists are compared byte by byte");
    return static_cast<const T*>(upload_bytes(std::as_bytes(list), stream));
  }

  // Work that the stream takes between these calls becomes part of a graph, which is then launched or dropped.
  void begin_graph() { before_graph_ = uses_; }
  void end_graph(GpuStream stream, bool launched);

 private:
  struct Slot {
    Buffer host;    // pinned
    Buffer device;  // as large as `host`, and with its bytes once the stream has come so far
    std::size_t bytes = 0;
    Event copied;
    std::uint64_t last_use = 0;
    bool in_graph = false;  // the copy is part of the graph that was begun
  };

  const void* upload_bytes(std::span<const std::byte> list, GpuStream stream);
  Slot* find(std::span<const std::byte> list);
  Slot& longest_unused();
  void fill(Slot& slot, std::span<const std::byte> list, GpuStream stream);
  void make_room(Slot& slot, std::size_t bytes);

  CudaAllocator& allocator_;
  PinnedAllocator& pinned_;
  std::vector<Slot> slots_ = std::vector<Slot>(kLists);
  std::uint64_t uses_ = 0;
  std::optional<std::uint64_t> before_graph_{};  // uses_ when one was begun
};

}  // namespace lockstep
