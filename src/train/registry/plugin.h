#pragma once

#include <version>  // tells which standard library is used

// Entry points of a shared library for --usr_lib=FILE. train/registry/registry.h includes this file; a library's author
// includes that, defines lockstep_register, and links to lockstep::lockstep (docs/extending.md).

#ifndef LOCKSTEP_VERSION
#error "LOCKSTEP_VERSION is missing: find_package(lockstep) and link to lockstep::lockstep, which defines it"
#endif

// The build properties that a plug-in must share with the library that loads it: classes change from version to
// version, and a std::string from one standard library is not one in another.
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

// Defined by the plug-in: adds its problems, models and other entries. Called once, on the main thread, before ranks
// can talk to each other. Declared here, so that a compiler refuses other parameters and the loader finds it under
// -fvisibility=hidden too.
extern "C" [[gnu::visibility("default")]] void lockstep_register(lockstep::Registry& registry);

// Never called: it keeps the text in the plug-in's file, where launch/user_library.cc finds it before any of the
// plug-in's code is loaded.
extern "C" [[gnu::used, gnu::visibility("default")]] inline const char* lockstep_built_for() {
  return LOCKSTEP_BUILT_FOR;
}
