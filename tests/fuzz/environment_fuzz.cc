// Fuzzes the readers of the environment before MPI starts, and of Open MPI's parameter files. Lines "NAME=value" up to
// an empty one are the environment; the rest is a parameter file.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "collective/mpi/mca_parameters.h"
#include "collective/mpi/mpi_environment.h"
#include "fuzzing.h"
#include "launch/job/identity.h"
#include "launch/job/living_ranks.h"

using namespace lockstep;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

// Removes the lines up to an empty one from the text.
Variables take_variables(std::string_view& text) {
  Variables variables;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty()) break;
    const std::size_t equals = std::min(line.find('='), line.size());
    variables.emplace(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  return variables;
}

void launch(const Environment& environment) {
  const LaunchIdentity identity = launch_identity(environment);
  must(identity.rank >= 0 && identity.size >= 1);
  must(identity.launcher != Launcher::none || (identity.rank == 0 && identity.size == 1));
  for (const PmiClients& clients : {PmiClients{}, PmiClients{.pmi1 = false, .pmi2 = false}}) {
    const auto error = launch_error_before_mpi(identity, clients, "Open MPI 4.1.4");
    must(!error || error->code() == ExitCode::configuration);
  }
  must(!launch_error_after_mpi(identity, 2, "Open MPI 4.1.4").has_value());
  // The job ID is one word after the scheduler's name, without line ends or control characters: it goes into
  // lease.json.
  const std::string job = scheduler_job_id(environment);
  must(std::ranges::count(job, ' ') == (job.empty() ? 0 : 1));
  must(std::ranges::all_of(job, [](char c) { return c >= ' ' && c <= '~'; }));
  const auto member = job_member(environment);
  must(!member || (member->rank >= 0 && member->ranks_here >= 0));
}

// Settings made by the user or a file are not made again.
void settings(const Environment& environment, const McaParameters& parameters) {
  for (const auto open_mpi : {std::optional<int>(), std::optional<int>(4), std::optional<int>(5)}) {
    const std::vector<Setting> made =
        mpi_settings(environment, {.open_mpi = open_mpi, .parameters = parameters, .cores = 2});
    must(open_mpi || made.empty());
    for (const Setting& setting : made) {
      must(!environment(setting.name.c_str()).has_value());
      const auto found = parameters.find(setting.name.substr(std::string_view("OMPI_MCA_").size()));
      must(found == parameters.end() || found->second.starts_with('^'));
    }
  }
  mca_parameter_files(environment, "/usr/lib");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input = Input(data, size).text(size);
  std::string_view text = input;
  const Variables variables = take_variables(text);
  const Environment environment = [&variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
  launch(environment);
  settings(environment, parse_mca_parameters(text));
  return 0;
}
