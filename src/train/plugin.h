#pragma once

#include <version>  // which standard library this is

// What makes a shared library one that --usr_lib=FILE takes. train/registry.h includes it: a library's author includes
// that, defines lockstep_register, and links to lockstep::lockstep (docs/extending.md).

#ifndef LOCKSTEP_VERSION
#error "LOCKSTEP_VERSION is missing: find_package(lockstep) and link to lockstep::lockstep, which defines it"
#endif

// What has to be alike in a plug-in and in the library it is loaded by: classes change from version to version, and a
// std::string from one standard library is none in another.
#define LOCKSTEP_BUILT_FOR_MARK "This library was built for lockstep "
#if defined(_LIBCPP_VERSION)
#define LOCKSTEP_BUILT_FOR LOCKSTEP_BUILT_FOR_MARK LOCKSTEP_VERSION " with libc++"
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define LOCKSTEP_BUILT_FOR LOCKSTEP_BUILT_FOR_MARK LOCKSTEP_VERSION " with the strings of before C++11"
#else
#define LOCKSTEP_BUILT_FOR LOCKSTEP_BUILT_FOR_MARK LOCKSTEP_VERSION
#endif

namespace lockstep {
struct Registry;
}

// Yours to define: adds your models, problems, hparams sets and optimizers. Called once, on the main thread, before
// ranks can talk to each other. Declared here, so that a compiler refuses other parameters and the loader finds it
// under -fvisibility=hidden too.
extern "C" [[gnu::visibility("default")]] void lockstep_register(lockstep::Registry& registry);

// It is never called: it keeps the text in your library's file, where launch/user_library.cc finds it before any of the
// library's code is loaded.
extern "C" [[gnu::used, gnu::visibility("default")]] inline const char* lockstep_built_for() {
  return LOCKSTEP_BUILT_FOR;
}
