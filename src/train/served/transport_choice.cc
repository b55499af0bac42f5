#include "train/served/transport_choice.h"

#include <fmt/format.h>

#include "base/error.h"

namespace lockstep {
namespace {

// Returns why auto takes messages; "" if it takes a window.
std::string why_messages(const ServedWindows& windows, int hosts) {
  if (hosts > 1) return fmt::format("the ranks are on {} hosts", hosts);
  return windows.make ? windows.doubt : windows.why_none;
}

}  // namespace

TransportChoice choose_transport(std::string_view transport, std::string_view apply, const ServedWindows& windows,
                                 int hosts) {
  const bool adds = apply == "accumulate";
  if (!adds && transport == "p2p") return {};
  if (!adds && transport != "rma") {
    const std::string why = why_messages(windows, hosts);
    return {.window = why.empty(), .why = why};
  }
  TransportChoice choice{.window = true,
                         .adds = adds,
                         .requires_it = adds ? "--ps_apply=accumulate" : "--ps_transport=rma",
                         .instead = adds ? "--ps_apply=optimizer" : "--ps_transport=p2p"};
  if (windows.make) return choice;
  throw Error(ExitCode::configuration,
              fmt::format("{}: {}; {}{}{} needs none", choice.requires_it, windows.why_none, windows.cure,
                          windows.cure.empty() ? "" : ", or ", choice.instead),
              Scope::every_rank);
}

std::string lacks_room(const std::optional<WindowRoom>& room, std::int64_t bytes) {
  if (!room || bytes <= room->most()) return "";
  return fmt::format("{} has room for a window of {:.1f} MB, and the servers need one of {:.1f} MB", room->folder,
                     static_cast<double>(room->most()) * 1e-6, static_cast<double>(bytes) * 1e-6);
}

}  // namespace lockstep
