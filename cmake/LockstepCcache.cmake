# Compilations go through ccache where there is one, unless CMAKE_<LANG>_COMPILER_LAUNCHER says otherwise. Paths are made
# relative to the checkout, so that one checkout finds what another compiled, wherever either lies.
find_program(LOCKSTEP_CCACHE ccache)
mark_as_advanced(LOCKSTEP_CCACHE)
if(LOCKSTEP_CCACHE)
  set(launcher env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR})
  if(LOCKSTEP_SANITIZE)
    # Debug information names the build folder, and keeps checkouts apart; LockstepCompile leaves that name out.
    list(APPEND launcher CCACHE_NOHASHDIR=1)
  endif()
  list(APPEND launcher ${LOCKSTEP_CCACHE})
  foreach(language C CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${launcher})
    endif()
  endforeach()
endif()
