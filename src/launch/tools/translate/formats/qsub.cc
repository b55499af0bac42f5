#include <fmt/format.h>

#include "launch/tools/translate/formats/rank_formats.h"

namespace lockstep {

std::string qsub_script(const RankList& list) {
  std::string flags;
  for (const std::string& flag : list.train_flags) flags += " " + shell_word(flag);
  std::string of_submission;
  for (const ClusterVariable& variable : list.variables) {
    if (!variable.value) of_submission += fmt::format("#$ -v {}\n", variable.name);
  }
  std::string exports;
  for (const std::string& assignment : variable_assignments(list)) exports += fmt::format("export {}\n", assignment);
  return fmt::format(R"(#!/bin/bash
# Trains on as many ranks as {} describes, with train.sge of the same folder (scripts/sge):
#
#   qsub SCRIPT OUTPUT_DIR [FLAGS OF train...]
#
#$ -S /bin/bash
#$ -cwd -j y
#$ -r y
#$ -notify
#$ -pe mpi {}
{}
set -euo pipefail
output_dir=${{1:?OUTPUT_DIR [FLAGS OF train...]}}
shift
{}[[ -x ./train.sge ]] || {{ echo "no executable train.sge in $PWD, the folder of submission" >&2; exit 66; }}
exec ./train.sge "$output_dir"{} "$@"
)",
                     script_source(list), launched_processes(list).size(), of_submission, exports, flags);
}

}  // namespace lockstep
