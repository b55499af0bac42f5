#include "support/ranks.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "collective/mpi/mpi_communicator.h"
#include "collective/mpi/mpi_messages.h"
#include "collective/mpi/mpi_session.h"
#include "collective/mpi/mpi_window.h"
#include "support/thread_communicator.h"
#include "support/thread_messages.h"
#include "support/thread_window.h"

namespace lockstep {
namespace {

// doctest calls test bodies without arguments, so main has to leave the session in a global.
MpiSession* mpi_session = nullptr;

constexpr int kMpiFailure = 70;

// In a sanitized build each rank takes ten times as long, and five ranks show the same interactions as eight.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::array kWorldSizes{1, 2, 5};
#else
constexpr std::array kWorldSizes{1, 2, 3, 4, 5, 8};
#endif

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "a REQUIRE that failed";
  }
}

// Rethrows the failure to report: the first that is not just the echo of another rank's end.
void rethrow_first(const std::vector<std::exception_ptr>& failures, const std::string& echo) {
  for (const std::exception_ptr& failure : failures) {
    if (text_of(failure) != echo) std::rethrow_exception(failure);
  }
  if (!failures.empty()) std::rethrow_exception(failures.front());
}

void on_the_mpi_world(const std::function<void(RankContext&)>& body) {
  MpiSession& session = *mpi_session;
  try {
    const auto page = NodePage::shared(session);
    Trace trace(page->line(session.local_rank()), session.rank());
    const auto communicator = make_mpi_communicator(session, trace, CheckCalls::always);
    RankContext context{*communicator, trace, *page};
    body(context);
    communicator->close();
  } catch (...) {
    const std::string text =
        fmt::format("rank {}/{}: {}\n", session.rank(), session.size(), text_of(std::current_exception()));
    std::fflush(stdout);
    std::fputs(text.c_str(), stderr);
    session.abort(kMpiFailure);
  }
}

}  // namespace

void for_thread_ranks(int world_size, const std::function<void(RankContext&)>& body) {
  ThreadWorld world(world_size);
  const auto page = NodePage::in_process(world_size);
  std::mutex mutex;
  std::vector<std::exception_ptr> failures;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(world_size));
  for (int rank = 0; rank < world_size; ++rank) {
    threads.emplace_back([&, rank] {
      Trace trace(page->line(rank), rank);
      const auto communicator = world.communicator(rank, trace);
      try {
        RankContext context{*communicator, trace, *page, &world};
        body(context);
        communicator->close();
      } catch (...) {
        const std::scoped_lock lock(mutex);
        failures.push_back(std::current_exception());
        world.poison(fmt::format("rank {} of {} failed: {}", rank, world_size, text_of(failures.back())));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  rethrow_first(failures, world.poison_message());
}

void for_rank_contexts(const std::function<void(RankContext&)>& body) {
  if (mpi_session != nullptr) {
    on_the_mpi_world(body);
    return;
  }
  for (const int world_size : kWorldSizes) for_thread_ranks(world_size, body);
}

void for_ranks(const std::function<void(Communicator&)>& body) {
  for_rank_contexts([&body](RankContext& context) { body(context.communicator); });
}

void meet(Communicator& communicator) { all_gather_value(communicator, char{0}); }

std::unique_ptr<Messages> make_messages(RankContext& context) {
  if (context.threads != nullptr) return make_thread_messages(context.communicator, *context.threads);
  LS_CHECK(mpi_session != nullptr, "messages of a context that is another one's copy");
  return make_mpi_messages(*mpi_session);
}

std::unique_ptr<Window> make_window(RankContext& context, std::int64_t bytes) {
  if (context.threads != nullptr) return make_thread_window(context.communicator, bytes);
  LS_CHECK(mpi_session != nullptr, "a window of a context that is another one's copy");
  return make_mpi_window(*mpi_session, bytes);
}

void use_mpi_session(MpiSession* session) { mpi_session = session; }

}  // namespace lockstep
