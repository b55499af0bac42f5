#include "collective/watch/node_page.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "support/ranks.h"

namespace lockstep {

TEST_CASE("a page in one process: a line per rank, a verdict and a message once") {
  const auto page = NodePage::in_process(3);
  CHECK(page->lines().size() == 3);
  CHECK(page->warning().empty());
  for (const StatusLine& line : page->lines()) {
    CHECK(line.rank.load() == -1);
    CHECK(reinterpret_cast<std::uintptr_t>(&line) % 64 == 0);
  }
  CHECK(page->claim_verdict());
  CHECK_FALSE(page->claim_verdict());
  CHECK(page->claim_message());
  CHECK_FALSE(page->claim_message());
}

TEST_CASE("every rank of the host sees the others' lines, one claims") {
  for_rank_contexts([](RankContext& context) {
    Communicator& communicator = context.communicator;
    context.trace.step(100 + communicator.rank());
    meet(communicator);
    int seen = 0;
    for (const StatusLine& line : context.page.lines()) {
      seen += line.rank.load() >= 0 && line.step.load() == 100 + line.rank.load() ? 1 : 0;
    }
    CHECK(seen == communicator.size());  // all ranks of this test are on one host
    CHECK(context.page.warning().empty());
    float claims = context.page.claim_verdict() ? 1 : 0;
    communicator.all_reduce({&claims, DType::float32, {1}});
    CHECK(claims == 1);
  });
}

TEST_CASE("the page has no name in /dev/shm") {
  for_rank_contexts([](RankContext& context) {
    meet(context.communicator);
    for (const auto& file : std::filesystem::directory_iterator("/dev/shm")) {
      CHECK(file.path().filename().string().find("lockstep-page") == std::string::npos);
    }
  });
}

}  // namespace lockstep
