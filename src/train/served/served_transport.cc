#include "train/served/served_transport.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "base/error.h"
#include "ps/try_window.h"
#include "ps/window_layout.h"

namespace lockstep {
namespace {

std::int64_t window_bytes(const PsGroup& group, int server, int copies) {
  return WindowLayout(group.range(server).count(), copies, group.clients, group.wire_dtype).bytes();
}

// Says what this host lacks for the window, whose parts are all on it if there is a limit; "" if nothing.
std::string room_lacking(const ServedJob& job, const PsGroup& group, int copies) {
  if (!job.windows.room) return "";
  std::int64_t bytes = 0;
  for (int server = 0; server < group.servers(); ++server) bytes += window_bytes(group, server, copies);
  return lacks_room(job.windows.room(), bytes);
}

// Takes messages instead, if that is allowed.
void give_up_window(TransportChoice& choice, ExitCode code, const std::string& why, const char* cure) {
  if (choice.is_required) {
    throw Error(code, fmt::format("--ps_transport=rma: {}; {}", why, cure), Scope::every_rank);
  }
  choice = {.window = false, .why = why};
}

std::string describe_transport(const TransportChoice& choice, DType dtype) {
  const std::string type = dtype == DType::float32 ? "" : fmt::format(" in {}", name(dtype));
  if (choice.window) return fmt::format("values and gradients go{} through a window", type);
  return fmt::format("values and gradients go{} as messages{}", type, choice.why.empty() ? "" : ": " + choice.why);
}

}  // namespace

int copies_of_values(const PsGroup& group) { return group.clients == 1 ? 2 : 3; }

ServedTransport open_transport(const ServedJob& job, TransportChoice choice, const PsGroup& group, Trace& trace) {
  ServedTransport transport{.copies = copies_of_values(group), .window = nullptr, .description = {}};
  if (choice.window) {
    const std::string lacking = first_text(job.ranks, room_lacking(job, group, transport.copies));
    if (!lacking.empty()) {
      give_up_window(choice, ExitCode::configuration, lacking,
                     "--ps_transport=p2p needs none there; or give it more (docker run --shm-size), or take fewer "
                     "ranks that train");
    }
  }
  if (choice.window) {
    const int server = job.ranks.rank() - group.clients;
    const std::int64_t bytes = server < 0 ? 0 : window_bytes(group, server, transport.copies);
    {
      const auto operation = trace.begin(Operation::allocate, bytes);
      transport.window = job.windows.make(bytes);
    }
    const std::string wrong = first_text(job.ranks, try_window(*transport.window, job.ranks, group, transport.copies));
    if (!wrong.empty()) {
      give_up_window(choice, ExitCode::internal, "MPI's windows do not work here: " + wrong,
                     "--ps_transport=p2p needs none");
      transport.window->close();
      transport.window.reset();
    }
  }
  transport.description = describe_transport(choice, group.wire_dtype);
  return transport;
}

}  // namespace lockstep
