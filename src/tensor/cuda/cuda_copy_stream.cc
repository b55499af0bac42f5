#include <fmt/format.h>

#include <array>

#include "tensor/cuda/cuda_backend.h"

namespace lockstep {
namespace {

class CudaCopyStream final : public CopyStream {
 public:
  explicit CudaCopyStream(Device device) : device_(device) {
    select();
    stream_ = create_stream();
  }
  ~CudaCopyStream() override {
    // An error here is a second one; the first one is already being thrown.
    try {
      CudaCopyStream::synchronize();
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
    }
    for (const Event event : events_) {
      if (event.handle != nullptr) destroy_event(event);
    }
    destroy_stream(stream_);
  }
  CudaCopyStream(const CudaCopyStream&) = delete;
  CudaCopyStream& operator=(const CudaCopyStream&) = delete;

  void wait(Event event) override {
    if (event.handle == nullptr) return;
    select();
    wait_for_event(stream_, event);
  }

  void copy(const Tensor& from, const Tensor& to) override {
    LS_CHECK(from.dtype() == to.dtype() && from.count() == to.count(),
             fmt::format("copy of {} {} to {} {}", name(from.dtype()), from.shape().text(), name(to.dtype()),
                         to.shape().text()));
    for (const Tensor& tensor : {from, to}) {
      LS_CHECK(tensor.device().kind == Device::Kind::cpu || tensor.device() == device_,
               fmt::format("a tensor on {} given to copies of {}", tensor.device().text(), device_.text()));
    }
    if (from.empty()) return;
    select();
    copy_on_stream(to.data(), from.data(), from.bytes(), stream_);
  }

  void synchronize() override {
    select();
    synchronize_stream(stream_);
  }

  Event record() override {
    select();
    Event& event = events_[next_event_++ % events_.size()];
    if (event.handle == nullptr) event = create_event();
    record_event(event, stream_);
    return event;
  }

 private:
  void select() const { select_gpu(device_.index); }

  Device device_;
  GpuStream stream_;
  std::array<Event, kEvents> events_{};  // made when first used
  std::size_t next_event_ = 0;
};

}  // namespace

std::unique_ptr<CopyStream> CudaBackend::make_copy_stream() { return std::make_unique<CudaCopyStream>(device()); }

}  // namespace lockstep
