#pragma once

#include <span>
#include <stdexcept>
#include <string>

// Lockstep's one exception type, and the exit codes a job ends with.
//
// Code that finds something wrong throws Error; only run_rank (launch/job/run_rank.h) catches it. run_rank alone
// knows rank and host, prints the message once and ends the whole job with the code. A message says what
// is wrong, where (file, flag, sample, tensor), the value met, and what to do about it.
namespace lockstep {

// Process exit codes; the values are a promise to job scripts. exit_code_meanings() says when a job ends with each.
enum class ExitCode : int {
  done = 0,
  usage = 64,
  bad_data = 65,
  missing_input = 66,
  internal = 70,
  cannot_write = 74,
  stopped = 75,
  configuration = 78,
};

// When a job ends with a code, as --help and docs/launching.md say it.
struct ExitCodeMeaning {
  ExitCode code;
  const char* when;
};
std::span<const ExitCodeMeaning> exit_code_meanings();

// Who meets the error. It decides who prints, so that one mistake gives one message.
enum class Scope {
  this_rank,   // only this rank knows: it prints
  every_rank,  // all ranks find the same (bad flags, NaN in a summed gradient): the chief prints
};

// A place in the source and the expression that failed there.
struct Where {
  const char* file;
  int line;
  const char* call;
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message, Scope scope = Scope::this_rank)
      : std::runtime_error(message), code_(code), scope_(scope) {}

  ExitCode code() const { return code_; }
  Scope scope() const { return scope_; }

 private:
  ExitCode code_;
  Scope scope_;
};

// Throws an internal Error (code 70) that reads "src/dir/file.cc:88 call: why".
[[noreturn]] void fail(Where where, const std::string& why);

#define LS_HERE(text) (::lockstep::Where{__FILE__, __LINE__, text})
// For conditions that only a bug can break. What users can get wrong is a thrown Error with its own exit code.
#define LS_CHECK(condition, why) ((condition) ? void() : ::lockstep::fail(LS_HERE(#condition), why))

}  // namespace lockstep
