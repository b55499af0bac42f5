#include "train/step/step_graphs.h"

#include <doctest/doctest.h>

#include "tensor/cuda/cuda_backend.h"

namespace lockstep {
namespace {

TEST_CASE("the first step has no graphs, and a remark says how often they were made anew") {
  CudaBackend backend(0);
  StepGraphs graphs(backend);
  const Buffer memory = backend.allocator().allocate(12);
  const Tensor values = view(memory, DType::float32, {3});
  CHECK(graphs.forward() == nullptr);
  const auto step = [&](int operations) {
    graphs.begin_step();
    for (OperationGraph* const graph : {graphs.forward(), graphs.update()}) {
      InGraph part(backend, graph);
      part.begin();
      for (int i = 0; i < operations; ++i) backend.fill(values, i);
      part.launch();
    }
  };
  step(1);
  CHECK(graphs.update() == nullptr);
  CHECK(graphs.remark().empty());
  for (int i = 0; i < 3; ++i) step(1);
  CHECK(graphs.update() != nullptr);
  CHECK(graphs.remark().empty());
  step(2);
  step(2);
  CHECK(graphs.remark() ==
        "of 6 steps the graphs were made anew 2 times, where a step had other operations than the one before");
}

TEST_CASE("what an exception leaves of a graph never runs") {
  CudaBackend backend(0);
  const auto graph = backend.make_graph();
  const Buffer memory = backend.allocator().allocate(4);
  const Tensor value = view(memory, DType::float32, {1});
  try {
    InGraph part(backend, graph.get());
    part.begin();
    part.begin();  // it has begun already
    backend.fill(value, 1);
    throw Error(ExitCode::internal, "of the step");
  } catch (const Error& error) {
    CHECK(error.what() == std::string("of the step"));
  }
  float there = -1;
  backend.copy(value, Tensor(&there, DType::float32, {1}));
  backend.synchronize();
  CHECK(there == 0);
}

}  // namespace
}  // namespace lockstep
