#pragma once

#include <stdexcept>
#include <string>

#include "base/exit_code.h"

// Lockstep's one exception type.
//
// Code that finds something wrong throws Error. Others may translate an exception on its way, but only run_rank
// (launch/job/run_rank.h), which knows rank and host, prints the message, once, and ends the whole job with the code. A
// message says what is wrong, where (file, flag, sample, tensor), the value met, and what to do about it.
namespace lockstep {

// Who meets the error. It decides who prints, so that one mistake gives one message.
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
  // what() is the message as base/printable.h makes it: nothing from outside in it reaches a terminal raw, or fills it.
  Error(ExitCode code, const std::string& message, Scope scope = Scope::this_rank);

  ExitCode code() const { return code_; }
  Scope scope() const { return scope_; }

 private:
  ExitCode code_;
  Scope scope_;
};

// What fail() says: "src/dir/file.cc:88 call: why".
std::string describe(Where where, const std::string& why);
// Throws an internal Error (code 70) that reads "src/dir/file.cc:88 call: why".
[[noreturn]] void fail(Where where, const std::string& why);

#define LS_HERE(text) (::lockstep::Where{__FILE__, __LINE__, text})
// For conditions that only a bug can break. What users can get wrong is a thrown Error with its own exit code.
#define LS_CHECK(condition, why) ((condition) ? void() : ::lockstep::fail(LS_HERE(#condition), why))

}  // namespace lockstep
