// Rank 1 finds an error while the others wait for it in a collective.
#include "collective/make_communicator.h"
#include "launch/job/run_rank.h"

using namespace lockstep;

int main() {
  return run_rank([](Job& job) {
    job.start({});
    const auto world = make_world(job.session(), job.trace());
    if (world->rank() == 1) throw Error(ExitCode::bad_data, "rows.csv, line 7: 'x' is no number; correct the line");
    all_gather_value(*world, 1);
    return ExitCode::done;
  });
}
