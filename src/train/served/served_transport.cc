#include "train/served/served_transport.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "base/error.h"
#include "ps/try_added.h"
#include "ps/try_window.h"
#include "ps/window_layout.h"

namespace lockstep {
namespace {

// The bytes that a rank offers: a server its copies and mailboxes, or, if clients add to its values, one copy of them.
std::int64_t window_bytes(const PsGroup& group, int server, const ServedTransport& transport) {
  if (server < 0) return 0;
  const std::int64_t count = group.range(server).count();
  if (transport.adds) return count * static_cast<std::int64_t>(sizeof(float));
  return WindowLayout(count, transport.copies, group.clients, group.wire_dtype).bytes();
}

// Says what this host lacks for the window, whose parts are all on it if there is a limit; "" if nothing.
std::string room_lacking(const ServedJob& job, const PsGroup& group, const ServedTransport& transport) {
  if (!job.windows.room) return "";
  std::int64_t bytes = 0;
  for (int server = 0; server < group.servers(); ++server) bytes += window_bytes(group, server, transport);
  return lacks_room(job.windows.room(), bytes);
}

// Takes messages instead, if that is allowed. cure: follows the flag that needs no window.
void give_up_window(TransportChoice& choice, ExitCode code, const std::string& why, const char* cure) {
  if (!choice.requires_it.empty()) {
    throw Error(code, fmt::format("{}: {}; {} {}", choice.requires_it, why, choice.instead, cure), Scope::every_rank);
  }
  choice = {.window = false, .why = why};
}

std::string describe_transport(const TransportChoice& choice, DType dtype) {
  const std::string type = dtype == DType::float32 ? "" : fmt::format(" in {}", name(dtype));
  if (choice.window) {
    return fmt::format("values and {} go{} through a window", choice.adds ? "updates" : "gradients", type);
  }
  return fmt::format("values and gradients go{} as messages{}", type, choice.why.empty() ? "" : ": " + choice.why);
}

}  // namespace

int copies_of_values(const PsGroup& group) { return group.clients == 1 ? 2 : 3; }

ServedTransport open_transport(const ServedJob& job, TransportChoice choice, const PsGroup& group, Trace& trace) {
  ServedTransport transport{
      .copies = copies_of_values(group), .adds = choice.adds, .window = nullptr, .description = {}};
  if (choice.window) {
    const std::string lacking = first_text(job.ranks, room_lacking(job, group, transport));
    if (!lacking.empty()) {
      give_up_window(choice, ExitCode::configuration, lacking,
                     choice.adds
                         ? "needs none there; or give it more (docker run --shm-size)"
                         : "needs none there; or give it more (docker run --shm-size), or take fewer ranks that "
                           "train");
    }
  }
  if (choice.window) {
    const std::int64_t bytes = window_bytes(group, job.ranks.rank() - group.clients, transport);
    {
      const auto operation = trace.begin(Operation::allocate, bytes);
      transport.window = job.windows.make(bytes);
    }
    const std::string wrong =
        first_text(job.ranks, choice.adds ? try_added(*transport.window, job.ranks, group)
                                          : try_window(*transport.window, job.ranks, group, transport.copies));
    if (!wrong.empty()) {
      give_up_window(choice, ExitCode::internal, "MPI's windows do not work here: " + wrong, "needs none");
      transport.window->close();
      transport.window.reset();
    }
  }
  transport.description = describe_transport(choice, group.wire_dtype);
  return transport;
}

}  // namespace lockstep
