// Tests that the fake runtime has CUDA's rules of stream capture.
#include "support/gpu/fake_graph.h"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <thread>
#include <vector>

#include "base/error.h"
#include "support/gpu/fake_stream.h"

namespace lockstep {
namespace {

// Two streams and the work they have done.
struct Streams {
  GpuStream one = create_stream();
  GpuStream other = create_stream();
  std::array<Event, 4> events{create_event(), create_event(), create_event(), create_event()};
  std::vector<int> done;

  ~Streams() {
    drop_capture(one);
    for (const GpuStream stream : {one, other}) {
      synchronize_stream(stream);
      destroy_stream(stream);
    }
    for (const Event event : events) destroy_event(event);
  }
  void work(GpuStream stream, int number) {
    gpu_stand_in::submit(stream, [this, number] { done.push_back(number); });
  }
  // Makes further work in `other` follow the present work of `one`.
  void fork() {
    record_event(events[0], one);
    wait_for_event(other, events[0]);
  }
  void join() {
    record_event(events[1], other);
    wait_for_event(one, events[1]);
  }
};

// Checks that the call is refused by that name, and that the capture is unusable afterwards.
void check_refused(Streams& streams, const char* name, const std::function<void()>& call) {
  CAPTURE(name);
  CHECK_THROWS_WITH_AS(call(), doctest::Contains(name), Error);
  CHECK_THROWS_WITH_AS(streams.work(streams.one, 9), doctest::Contains("cudaErrorStreamCaptureInvalidated"), Error);
  CHECK_THROWS_WITH_AS(end_capture(streams.one, {}), doctest::Contains("cudaErrorStreamCaptureInvalidated"), Error);
  CHECK(!is_capturing(streams.one));
  CHECK(!is_capturing(streams.other));
  streams.work(streams.one, 1);
  synchronize_stream(streams.one);
  CHECK(streams.done == std::vector<int>{1});
}

TEST_CASE("the stand-in runs a graph when it is launched, each time, in an order that its waits allow") {
  Streams streams;
  begin_capture(streams.one);
  streams.work(streams.one, 1);
  streams.fork();
  streams.work(streams.one, 2);
  CHECK(is_capturing(streams.other));
  streams.work(streams.other, 3);
  streams.work(streams.other, 4);
  streams.join();
  streams.work(streams.one, 5);
  const GpuGraph graph = end_capture(streams.one, {});
  CHECK(!is_capturing(streams.other));
  synchronize_stream(streams.one);
  CHECK(streams.done.empty());
  launch_graph(graph, streams.one);
  launch_graph(graph, streams.one);
  destroy_graph(graph);
  synchronize_stream(streams.one);
  CHECK(streams.done == std::vector<int>{1, 3, 4, 2, 5, 1, 3, 4, 2, 5});
}

TEST_CASE("the stand-in changes a graph that has the same operations, and makes another one of others") {
  Streams streams;
  const auto capture = [&](int works, int number, GpuGraph last) {
    begin_capture(streams.one);
    for (int i = 0; i < works; ++i) streams.work(streams.one, number);
    return end_capture(streams.one, last);
  };
  const GpuGraph two = capture(2, 1, {});
  launch_graph(two, streams.one);
  CHECK(capture(2, 7, two).handle == two.handle);
  launch_graph(two, streams.one);
  const GpuGraph three = capture(3, 8, two);
  CHECK(three.handle != two.handle);
  launch_graph(three, streams.one);
  destroy_graph(two);
  destroy_graph(three);
  synchronize_stream(streams.one);
  CHECK(streams.done == std::vector<int>{1, 1, 7, 7, 8, 8, 8});
}

TEST_CASE("the stand-in refuses what CUDA refuses in a capture") {
  const std::vector<std::pair<const char*, std::function<void(Streams&)>>> calls{
      {"cudaErrorStreamCaptureUnsupported", [](Streams& s) { synchronize_stream(s.one); }},
      {"cudaErrorStreamCaptureUnsupported",
       [](Streams& s) {
         s.fork();
         synchronize_stream(s.other);
       }},
      {"cudaErrorCapturedEvent",
       [](Streams& s) {
         record_event(s.events[0], s.one);
         synchronize_event(s.events[0]);
       }},
      {"cudaErrorCapturedEvent",
       [](Streams& s) {
         record_event(s.events[0], s.one);
         std::exception_ptr failure;
         std::thread([&] {
           try {
             has_passed(s.events[0]);
           } catch (...) {
             failure = std::current_exception();
           }
         }).join();
         std::rethrow_exception(failure);
       }},
      {"cudaErrorStreamCaptureIsolation",
       [](Streams& s) {
         record_event(s.events[0], s.other);
         wait_for_event(s.one, s.events[0]);
       }},
      {"cudaErrorStreamCaptureMerge",
       [](Streams& s) {
         begin_capture(s.other);
         record_event(s.events[0], s.other);
         try {
           wait_for_event(s.one, s.events[0]);
         } catch (const Error&) {
           drop_capture(s.other);
           throw;
         }
       }},
      {"cudaErrorStreamCaptureInvalidated",
       [](Streams& s) {
         std::thread([] { free_pinned(allocate_pinned(1)); }).join();
         zero_on_stream(nullptr, 0, s.one);
       }},
      {"cudaErrorIllegalState", [](Streams& s) { begin_capture(s.one); }},
      {"cudaErrorStreamCaptureUnsupported", [](Streams& s) {
         std::array<char, 8> pageable{};
         copy_on_stream(pageable.data(), pageable.data() + 4, 4, s.one);
       }}};
  for (const auto& [name, call] : calls) {
    Streams streams;
    begin_capture(streams.one);
    check_refused(streams, name, [&] { call(streams); });
  }
}

TEST_CASE("the stand-in refuses a graph of streams that were not waited for, and one that ends elsewhere") {
  Streams streams;
  begin_capture(streams.one);
  streams.fork();
  streams.work(streams.other, 1);
  CHECK_THROWS_WITH_AS(end_capture(streams.other, {}), doctest::Contains("cudaErrorStreamCaptureUnmatched"), Error);
  CHECK_THROWS_WITH_AS(end_capture(streams.one, {}), doctest::Contains("cudaErrorStreamCaptureUnjoined"), Error);
  CHECK(!is_capturing(streams.other));
}

TEST_CASE("the stand-in's events of a capture are of no use after it, until they are recorded again") {
  Streams streams;
  begin_capture(streams.one);
  record_event(streams.events[0], streams.one);
  destroy_graph(end_capture(streams.one, {}));
  CHECK_THROWS_WITH_AS(has_passed(streams.events[0]), doctest::Contains("cudaErrorCapturedEvent"), Error);
  CHECK_THROWS_WITH_AS(wait_for_event(streams.other, streams.events[0]), doctest::Contains("cudaErrorCapturedEvent"),
                       Error);
  record_event(streams.events[0], streams.one);
  synchronize_event(streams.events[0]);
  CHECK(has_passed(streams.events[0]));
}

TEST_CASE("the stand-in copies in a graph what is there when it runs, and finds memory that is freed before") {
  Streams streams;
  auto* const pinned = static_cast<int*>(allocate_pinned(sizeof(int)));
  auto* const device = static_cast<int*>(allocate_on_gpu(sizeof(int)));
  *pinned = 1;
  begin_capture(streams.one);
  copy_on_stream(device, pinned, sizeof(int), streams.one);
  const GpuGraph graph = end_capture(streams.one, {});
  *pinned = 2;
  launch_graph(graph, streams.one);
  synchronize_stream(streams.one);
  CHECK(*device == 2);
  destroy_graph(graph);

  begin_capture(streams.one);
  copy_on_stream(device, pinned, sizeof(int), streams.one);
  std::thread([] { free_on_gpu(allocate_on_gpu(1)); }).join();  // of another thread
  streams.work(streams.one, 1);
  free_on_gpu(device);
  CHECK_THROWS_WITH_AS(end_capture(streams.one, {}), doctest::Contains("which the graph may use"), Error);
  free_pinned(pinned);
}

}  // namespace
}  // namespace lockstep
