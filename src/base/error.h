#pragma once

#include <stdexcept>
#include <string>

#include "base/exit_code.h"

// The exception for errors that carry an exit code; PeerEnded, DeviceError and OutOfMemory derive from it.
//
// Code that finds an error throws Error; code in between may translate or handle it. run_rank (launch/job/run_rank.h)
// reports one that ends a job, with rank and host, and ends the job with its code; main() prints one outside a job. A
// message says what is wrong, where (file, flag, sample, tensor), the value found, and what to do about it.
namespace lockstep {

// The ranks that meet an error. This decides which rank prints, so that one mistake gives one message.
enum class Scope {
  this_rank,     // only this rank knows: it prints
  every_rank,    // all ranks find the same (bad flags, NaN in a summed gradient): the chief prints
  another_rank,  // another rank has failed, and says why: this one prints only if that one does not
};

// A place in the source and the expression that failed there.
struct Where {
  const char* file;
  int line;
  const char* call;
};

class Error : public std::runtime_error {
 public:
  // what() is the message as base/printable.h makes it: text from outside cannot steer a terminal, or fill it.
  Error(ExitCode code, const std::string& message, Scope scope = Scope::this_rank);

  ExitCode code() const { return code_; }
  Scope scope() const { return scope_; }

 private:
  ExitCode code_;
  Scope scope_;
};

// The text of fail()'s message: "src/dir/file.cc:88 call: why".
std::string describe(Where where, const std::string& why);
// Throws an internal Error (code 70) that reads "src/dir/file.cc:88 call: why".
[[noreturn]] void fail(Where where, const std::string& why);

#define LS_HERE(text) (::lockstep::Where{__FILE__, __LINE__, text})
// Throws an internal Error if a condition is false that only a bug can break. Users' mistakes get other exit codes.
#define LS_CHECK(condition, why) ((condition) ? void() : ::lockstep::fail(LS_HERE(#condition), why))

}  // namespace lockstep
