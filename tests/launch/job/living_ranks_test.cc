#include "launch/job/living_ranks.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "support/fake_environment.h"
#include "support/temporary_folder.h"

namespace lockstep {
namespace {

// A fake /proc of a host on which `launcher`, process 50, has started ranks of job 7.
class FakeProc {
 public:
  FakeProc() {
    add(1, 0, "");
    add(50, 1, "");
    std::filesystem::create_directory(folder_ / "self");
    add(60, 50, "PMIX_NAMESPACE=8 PMIX_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2");  // of another job
  }
  // variables: separated by blanks.
  void add(int process, int parent, std::string variables) {
    const std::string path = folder_ / std::to_string(process);
    std::filesystem::create_directory(path);
    std::ofstream(path + "/stat") << process << " (a (odd) name) S " << parent << " 0 0\n";
    for (char& c : variables) {
      if (c == ' ') c = '\0';
    }
    std::ofstream(path + "/environ", std::ios::binary) << variables << '\0';
  }
  void add_rank(int process, int parent, int rank) {
    add(process, parent,
        "HOME=/x PMIX_RANK=" + std::to_string(rank) + " PMIX_NAMESPACE=7 OMPI_COMM_WORLD_LOCAL_SIZE=3 LAST=1");
  }
  std::string path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

using Ranks = std::vector<int>;
const JobMember kMe{.job = "7", .rank = 2, .ranks_here = 3};

}  // namespace

TEST_CASE("a process is a rank of a job by the variables of PMIx and its launcher") {
  const auto member = job_member(
      fake_environment({{"PMIX_NAMESPACE", "1234"}, {"PMIX_RANK", "3"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}));
  REQUIRE(member);
  CHECK(member->job == "1234");
  CHECK(member->rank == 3);
  CHECK(member->ranks_here == 4);
  CHECK(!job_member(fake_environment({{"PMIX_RANK", "3"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}})));
  CHECK(!job_member(fake_environment({{"PMIX_NAMESPACE", "1234"}, {"PMIX_RANK", "3"}})));
  CHECK(!job_member(fake_environment({})));
}

TEST_CASE("the ranks with a living process are found, below a wrapper too, and those of other jobs are not") {
  FakeProc proc;
  proc.add_rank(70, 50, 0);  // a script
  proc.add_rank(71, 70, 0);  // its child
  proc.add_rank(80, 50, 2);
  CHECK(living_ranks(kMe, 80, proc.path()) == Ranks{0, 2});
  proc.add(90, 50, "");  // rank 1 as a zombie, which has no environment
  CHECK(living_ranks(kMe, 80, proc.path()) == Ranks{0, 2});
  proc.add_rank(91, 50, 1);
  CHECK(living_ranks(kMe, 80, proc.path()) == Ranks{0, 1, 2});
}

TEST_CASE("the launcher is the nearest process above that is not of the job") {
  FakeProc proc;
  proc.add_rank(70, 50, 0);  // a script
  proc.add_rank(71, 70, 0);  // what it started
  CHECK(launcher_of(kMe, 71, proc.path()) == 50);
  CHECK(launcher_of(kMe, 70, proc.path()) == 50);
  CHECK(!launcher_of(kMe, 60, proc.path()));  // of another job
  proc.add_rank(80, 1, 2);
  CHECK(!launcher_of(kMe, 80, proc.path()));
}

TEST_CASE("where the launcher is not to be seen, nothing is known of its ranks") {
  FakeProc proc;
  proc.add_rank(80, 1, 2);  // in a container of its own
  CHECK(!living_ranks(kMe, 80, proc.path()));
  proc.add_rank(81, 0, 2);  // in another pid namespace
  CHECK(!living_ranks(kMe, 81, proc.path()));
  CHECK(!living_ranks(kMe, 99, proc.path()));  // its own entry is hidden
  CHECK(!living_ranks(kMe, 80, proc.path() + "/none"));
}

TEST_CASE("a rank has ended when several looks in a row miss it, and the first of the others says so") {
  for (const int rank : {0, 2}) {
    EndedRanks ended({.job = "7", .rank = rank, .ranks_here = 3});
    for (int look = 0; look < 9; ++look) CHECK(!ended.certain(Ranks{0, 1, 2}));
    for (int look = 0; look < 3; ++look) CHECK(!ended.certain(Ranks{0, 2}));
    CHECK(!ended.certain({}));  // starts over
    for (int look = 0; look < 3; ++look) CHECK(!ended.certain(Ranks{0, 2}));
    CHECK(ended.certain(Ranks{0, 2}) == (rank == 0));
    CHECK(!ended.certain(Ranks{rank}));  // other ranks than before
  }
}

TEST_CASE("the message names who ended, as far as this host can know") {
  CHECK(describe_ended(kMe, 3, {2})
            .starts_with("rank 2/3 waits for MPI to start, but ranks 0, 1 ended before calling MPI_Init. "));
  CHECK(describe_ended(kMe, 3, {0, 2}).find("but rank 1 ended") != std::string::npos);
  CHECK(describe_ended(kMe, 8, {0, 2}).find("but 1 of the 3 ranks of this host ended") != std::string::npos);
}

}  // namespace lockstep
