#include <utility>

#include "tensor/cuda/cuda_backend.h"

namespace lockstep {
namespace {

class CudaGraph final : public OperationGraph {
 public:
  explicit CudaGraph(CudaBackend& backend) : backend_(backend) {}
  ~CudaGraph() override {
    if (graph_.handle != nullptr) destroy_graph(graph_);
  }
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  void begin() override { backend_.begin_graph(); }

  void launch() override {
    keep(backend_.captured_graph(graph_));
    backend_.run_graph(graph_);
  }

  std::int64_t made() const override { return made_; }

 private:
  void keep(GpuGraph graph) {
    if (graph.handle == graph_.handle) return;
    if (graph_.handle != nullptr) destroy_graph(graph_);
    graph_ = graph;
    ++made_;
  }

  CudaBackend& backend_;
  GpuGraph graph_;
  std::int64_t made_ = 0;
};

}  // namespace

std::unique_ptr<OperationGraph> CudaBackend::make_graph() { return std::make_unique<CudaGraph>(*this); }

void CudaBackend::begin_graph() {
  LS_CHECK(!in_graph_, "a graph is begun in a graph");
  begin({});
  allocator_.keep_freed();  // before the capture, which another thread's wait for the GPU would end
  pinned_.keep_freed();
  try {
    begin_capture(stream_);
  } catch (const Error&) {
    allocator_.free_kept();
    pinned_.free_kept();
    throw;
  }
  in_graph_ = true;
  lists_.begin_graph();
}

GpuGraph CudaBackend::captured_graph(GpuGraph last) {
  LS_CHECK(in_graph_, "no graph was begun");
  begin({});
  try {
    return end_capture(stream_, last);
  } catch (const Error&) {
    forget_graph();
    throw;
  }
}

void CudaBackend::run_graph(GpuGraph graph) {
  try {
    launch_graph(graph, stream_);
  } catch (const Error&) {
    forget_graph();
    throw;
  }
  end_graph(true);
}

bool CudaBackend::drop_graph() noexcept {
  if (!in_graph_) return false;
  drop_capture(stream_);
  forget_graph();
  return true;
}

// An error here is a second one; the first one is already being thrown.
void CudaBackend::forget_graph() noexcept {
  try {
    end_graph(false);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
  }
}

void CudaBackend::after_graph(std::function<void()> call) {
  if (!in_graph_) return call();
  after_graph_.push_back(std::move(call));
}

// Events that were recorded in the graph are useless outside it until they are recorded once more.
void CudaBackend::end_graph(bool launched) {
  in_graph_ = false;
  const std::vector<Event> events = std::exchange(in_graph_events_, {});
  const std::vector<std::function<void()>> calls = std::exchange(after_graph_, {});
  allocator_.free_kept();
  pinned_.free_kept();
  begin({});
  for (const Event event : events) record_event(event, stream_);
  lists_.end_graph(stream_, launched);
  for (const std::function<void()>& call : calls) call();
}

}  // namespace lockstep
