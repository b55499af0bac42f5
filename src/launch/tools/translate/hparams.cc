#include "launch/tools/translate/hparams.h"

#include <string>

#include "base/hparams_json.h"

namespace lockstep {

ExitCode translate_hparams(const CommandLine& line, const Environment& /*environment*/, const Print& print) {
  if (!line.given("hparams_base")) {
    throw Error(ExitCode::usage,
                "lockstep cluster needs --hparams_base=JSON, the hyperparameters that --hparams changes; lockstep "
                "cluster --help shows examples",
                Scope::every_rank);
  }
  OrderedHParams ordered = hparams_from_json(line.text("hparams_base"), "--hparams_base");
  ordered.hparams.parse(line.text("hparams"));
  print(hparams_to_json(ordered) + "\n");
  return ExitCode::done;
}

}  // namespace lockstep
