#include "options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/split.h"
#include "base/whole_number.h"
#include "tensor/parameter_table.h"

namespace lockstep::bench {
namespace {

constexpr std::array<Flag, 11> kFlags{{
    {.group = "Servers",
     .name = "servers",
     .placeholder = "N",
     .default_text = "1",
     .help = "ranks that are servers; the others are clients"},
    {.group = "Servers",
     .name = "transports",
     .placeholder = "NAME,...",
     .default_text = "messages,window",
     .help =
         "how values and gradients go: messages, or the one-sided memory of a window; accumulate: a window to which "
         "clients add their updates by themselves"},
    {.group = "Servers",
     .name = "bytes",
     .placeholder = "N,...",
     .default_text = "65536,1048576,16777216,67108864",
     .help = "sizes of the whole store"},
    {.group = "Servers",
     .name = "measure",
     .placeholder = "NAME,...",
     .default_text = "transfers,updates,delays",
     .help =
         "transfers: pulls and pushes of one client, beside memcpy; updates: the whole protocol with all clients; "
         "delays: pushes of a client while the others compute for a second; saves: steps of the others while the first "
         "client saves"},
    {.group = "Servers",
     .name = "rounds",
     .placeholder = "N",
     .default_text = "7",
     .help = "rounds, in each of which all transports and bounds take turns"},
    {.group = "Updates",
     .name = "updates",
     .placeholder = "N",
     .default_text = "",
     .help = "updates of a round; unless given as many as have 256 MB of gradients, 20 to 500"},
    {.group = "Updates",
     .name = "compute_ms",
     .placeholder = "MS",
     .default_text = "",
     .help = "how long a client sleeps in place of computing a gradient; not at all unless given"},
    {.group = "Updates",
     .name = "slow",
     .placeholder = "FACTOR",
     .default_text = "1",
     .help = "the last client's computation takes so many times as long"},
    {.group = "Updates",
     .name = "max_staleness",
     .placeholder = "N,...",
     .default_text = "none",
     .help = "bounds on staleness; none is no bound"},
    {.group = "Servers", .name = "json", .placeholder = "", .default_text = "", .help = "print JSON objects"},
    {.group = "Servers", .name = "help", .placeholder = "", .default_text = "", .help = "print this text"},
}};

constexpr std::int64_t kUnit = ParameterTable::kAlignment * std::int64_t{sizeof(float)};  // bytes

const std::vector<std::string>& transport_names() {
  static const std::vector<std::string> names{"messages", "window", "accumulate"};
  return names;
}

// The places of a flag's words in `names`.
std::vector<std::size_t> choices(const CommandLine& line, std::string_view flag, std::span<const std::string> names) {
  std::vector<std::size_t> chosen;
  for (const std::string& text : split_at(line.text(flag), ',')) {
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) {
      line.refuse(flag, fmt::format("'{}' is none of {}", text, fmt::join(names, ", ")));
    }
    chosen.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  return chosen;
}

std::vector<std::int64_t> sizes_of(const CommandLine& line, int servers) {
  std::vector<std::int64_t> sizes;
  for (const std::string& text : split_at(line.text("bytes"), ',')) {
    const std::optional<std::int64_t> bytes = parse_digits<std::int64_t>(text);
    if (!bytes || *bytes < servers * kUnit || *bytes % kUnit != 0) {
      line.refuse("bytes", fmt::format("'{}' is not a multiple of {} bytes, that much for each server, like 65536",
                                       text, kUnit));
    }
    sizes.push_back(*bytes);
  }
  return sizes;
}

std::vector<StalenessBound> bounds_of(const CommandLine& line) {
  std::vector<StalenessBound> bounds;
  for (const std::string& text : split_at(line.text("max_staleness"), ',')) {
    const std::optional<std::int64_t> bound = parse_digits<std::int64_t>(text);
    if (!bound && text != "none") {
      line.refuse("max_staleness", fmt::format("'{}' is neither a number of updates nor none", text));
    }
    bounds.push_back(bound);
  }
  return bounds;
}

}  // namespace

const std::string& name(PsTransport transport) { return transport_names()[static_cast<std::size_t>(transport)]; }

std::span<const Flag> ps_flags() { return kFlags; }

PsOptions parse_ps_options(std::span<const std::string> args, int ranks) {
  const CommandLine line("bench/ps", kFlags, args);
  const int servers = static_cast<int>(line.integer("servers", 1, 1 << 16));
  if (servers >= ranks) {
    line.refuse("servers", fmt::format("of {} rank(s) none is left to be a client; start more by mpirun -np", ranks));
  }
  PsOptions options{.servers = servers,
                    .transports = {},
                    .sizes = sizes_of(line, servers),
                    .transfers = false,
                    .updates = false,
                    .delays = false,
                    .saves = false,
                    .batches = {},
                    .rounds = line.integer("rounds", 1, 1000),
                    .compute_s = line.given("compute_ms") ? line.number_above_zero("compute_ms", 6e4) * 1e-3 : 0,
                    .slow = line.number_above_zero("slow", 1000),
                    .bounds = bounds_of(line),
                    .json = line.on("json")};
  for (const std::size_t one : choices(line, "transports", transport_names())) {
    options.transports.push_back(static_cast<PsTransport>(one));
  }
  const std::array<std::string, 4> kinds{"transfers", "updates", "delays", "saves"};
  const std::array<bool*, 4> measured{&options.transfers, &options.updates, &options.delays, &options.saves};
  for (const std::size_t one : choices(line, "measure", kinds)) *measured.at(one) = true;
  // A round counts from its first update until the last batch is handed out: each client needs some between.
  if (line.given("updates")) options.batches = line.integer("updates", 4LL * ranks, 1'000'000);
  return options;
}

}  // namespace lockstep::bench
