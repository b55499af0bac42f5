#include "launch/device/device_request.h"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "base/error.h"

namespace lockstep {
namespace {

Table<DeviceKind> kinds() {
  Table<DeviceKind> table("device");
  table.add("cpu", "", cpu_devices());
  table.add("cuda", "", cuda_devices(), {"gpu"});
  return table;
}

DeviceRequest request(const std::string& device, const std::string& devices = "", const std::string& gpu_order = "",
                      std::optional<std::int64_t> worker_gpu = {}) {
  TrainSettings settings;
  settings.device = device;
  settings.devices = devices;
  settings.gpu_order = gpu_order;
  settings.worker_gpu = worker_gpu;
  return device_request(settings, kinds());
}

Error error_of(const std::string& device, const std::string& devices = "", const std::string& gpu_order = "") {
  try {
    request(device, devices, gpu_order);
  } catch (const Error& error) {
    return error;
  }
  return {ExitCode::done, "accepted"};
}

TEST_CASE("--device takes kinds, and a number of those that have several") {
  CHECK(request("auto") == DeviceRequest{});
  CHECK(request("cpu") == DeviceRequest{.kind = "cpu"});
  CHECK(request("cuda") == DeviceRequest{.kind = "cuda"});
  for (const int index : {0, 13, std::numeric_limits<int>::max()}) {
    const std::string text = "cuda:" + std::to_string(index);
    CHECK(request(text) == DeviceRequest{.kind = "cuda", .index = index});
    CHECK(request(text).text() == text);
  }
}

TEST_CASE("--device takes TensorFlow's names of this process's devices") {
  for (const char* text : {"/gpu:1", "/GPU:1", "/device:GPU:1", "/job:worker/replica:0/task:3/device:GPU:1"}) {
    CHECK(request(text) == DeviceRequest{.kind = "cuda", .index = 1});
  }
  for (const char* text : {"/cpu:0", "/device:CPU:0"}) CHECK(request(text) == DeviceRequest{.kind = "cpu"});
  for (const char* text : {"/tpu:0", "/device:TPU:0", "/gpu:x", "/gpu", "/", "/job:worker"}) {
    CAPTURE(text);
    CHECK(error_of(text).code() == ExitCode::usage);
  }
}

TEST_CASE("everything else is refused as wrong usage, the same on every rank") {
  for (const char* text :
       {"",        " ",       "gpu",     "CPU",     "cpu:0", "cuda:", "cuda:x",   "cuda:1x",  "cuda:-1",
        "cuda:-0", "cuda:+1", "cuda: 1", "cuda:1 ", " cuda", "cuda0", "cuda:0x1", "cuda:1.0", "cuda:2147483648",
        "auto:0",  "cdua"}) {
    CAPTURE(text);
    const Error error = error_of(text);
    const std::string message = error.what();
    CHECK(error.code() == ExitCode::usage);
    CHECK(error.scope() == Scope::every_rank);
    CHECK(message.find("no device '" + std::string(text) + "'") == 0);
    CHECK(message.ends_with("; this build has " + backend_features()));
    CHECK(message.find("--device takes auto, cpu, cuda, cuda:N, N") != std::string::npos);
  }
  CHECK(std::string(error_of("cdua").what()).find("did you mean 'cuda'") != std::string::npos);
  CHECK(std::string(error_of("gpu:1").what()).find("did you mean 'cuda:1'") != std::string::npos);
}

TEST_CASE("--devices and --gpu_order list numbers") {
  using Order = std::vector<int>;
  for (const char* device : {"auto", "cuda"}) {
    CHECK(request(device, "2").order == Order{2});
    CHECK(request(device, "0,2").order == Order{0, 2});
    CHECK(request(device, "1,1,0").order == Order{1, 1, 0});
    CHECK(request(device, "/gpu:0,/device:GPU:2").order == Order{0, 2});
    CHECK(request(device, "", "1 3 2 0").order == Order{1, 3, 2, 0});
  }
  CHECK(request("cuda", "", "1,0", 2).order == Order{1, 0});
  CHECK(request("cuda", "", "1 0", 4).order.empty());  // its length differs from --worker_gpu, as T2T allows
  CHECK(request("cpu", "", "1 0").order.empty());      // T2T's scripts set it on all machines
  CHECK(request("cuda:1", "", "1 0").order.empty());

  for (const char* list :
       {",", "0,,1", ",0", "x", "0,-1", "0;1", "GPU-5a3b", "gpu:1", "/cpu:0", "0 ,1", "1.0", "99999999999"}) {
    CAPTURE(list);
    const Error error = error_of("cuda", list);
    CHECK(error.code() == ExitCode::usage);
    CHECK(std::string(error.what()).find("numbers of visible GPUs") != std::string::npos);
  }
}

TEST_CASE("--devices beside a device that is chosen already is a contradiction") {
  for (const char* device : {"cpu", "cuda:0"}) {
    const Error error = error_of(device, "0,1");
    CHECK(error.code() == ExitCode::configuration);
    CHECK(std::string(error.what()).find("leave one of the two out") != std::string::npos);
  }
}

}  // namespace
}  // namespace lockstep
