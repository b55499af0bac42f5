# lockstep_test() and lockstep_program_test(): how tests are registered. Every test has a time-out, because the way our
# mistakes show is a hang.

set(LOCKSTEP_TEST_SECONDS 300)  # five times what the longest needs alone
set(LOCKSTEP_TEST_RANKS 1 2 3 4 5 8)  # 3 and 5, because powers of two hide mistakes
if(LOCKSTEP_SANITIZE)
  set(LOCKSTEP_TEST_SECONDS 1500)
  set(LOCKSTEP_TEST_RANKS 3)  # the unit tests have threads as ranks, of any number
endif()

# mpirun refuses root and more ranks than cores unless told; and tests that run side by side must not all be bound to
# the first cores. No GPU is visible: what tests expect of --device=auto holds on every machine, and the ranks of several
# tests would share one. Tests of a real GPU do without this environment.
set(LOCKSTEP_TEST_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 CUDA_VISIBLE_DEVICES=)
set(LOCKSTEP_TEST_MPIRUN ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none -np)

# lockstep_shows(OUTPUT [sanitizer...]): whether a test is part of this build. The sanitizers are those that can show
# something in it: address, thread, or none; all of them if the list is empty.
function(lockstep_shows output)
  set(shows TRUE)
  if(LOCKSTEP_SANITIZE AND ARGN)
    string(REGEX MATCH "address|thread" sanitizer ${LOCKSTEP_SANITIZE})
    if(NOT sanitizer IN_LIST ARGN)
      set(shows FALSE)
    endif()
  endif()
  set(${output} ${shows} PARENT_SCOPE)
endfunction()

# lockstep_threaded(SOURCES): takes the files out of the list whose tests start no thread, as the words in them tell. The
# thread sanitizer has nothing to show there, and compiling them takes it minutes.
function(lockstep_threaded sources)
  set(kept)
  foreach(source ${${sources}})
    file(STRINGS ${source} words LIMIT_COUNT 1
         REGEX "[Tt]hread|ranks\\.h|backends\\.h|make_arrays|train_rank|_alone|[Aa]sync|Prefetch|[Ss]ignal|Heartbeat|[Ww]atch|job/job\\.h")
    if(words OR NOT source MATCHES "_test\\.cc$")
      list(APPEND kept ${source})
    endif()
  endforeach()
  set(${sources} ${kept} PARENT_SCOPE)
endfunction()

# Tests are most of what a sanitized build compiles. Their own code is not checked for undefined behaviour, and an
# exception ends a test case wherever it comes from: with both, a file takes 0.6 of the time.
add_library(lockstep_test_compile INTERFACE)
if(LOCKSTEP_SANITIZE)
  target_compile_definitions(lockstep_test_compile INTERFACE DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
  target_compile_options(lockstep_test_compile INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=undefined>)
endif()

# lockstep_test(LAYER SOURCES file... [USES target...] [SANITIZERS sanitizer...]
#               [MPI [RANKS number...] [MPI_SANITIZERS sanitizer...] [WITHOUT pattern...]])
# The tests of one folder as one binary, test_LAYER, run as the ctest LAYER (label unit). With MPI, the same binary is run
# again under mpirun with --mpi, for each number of ranks (RANKS, or all of LOCKSTEP_TEST_RANKS), as LAYER_np<n>
# (label mpi). WITHOUT: files whose tests know no ranks, and need not be run by each. SANITIZERS, and MPI_SANITIZERS for
# the runs under mpirun: see lockstep_shows(); the registration says why.
function(lockstep_test layer)
  cmake_parse_arguments(arg "MPI" "" "SOURCES;USES;SANITIZERS;RANKS;MPI_SANITIZERS;WITHOUT" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "lockstep_test(${layer}): takes SOURCES, USES, SANITIZERS and MPI; got '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  lockstep_shows(shows ${arg_SANITIZERS})
  if(NOT shows)
    return()
  endif()
  if(LOCKSTEP_SANITIZE MATCHES "thread")
    lockstep_threaded(arg_SOURCES)
    if(NOT arg_SOURCES MATCHES "_test\\.cc")
      return()
    endif()
  endif()
  set(binary test_${layer})
  add_executable(${binary} ${arg_SOURCES})
  set_target_properties(${binary} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${binary} PRIVATE lockstep_test_support lockstep lockstep_compile lockstep_test_compile ${arg_USES})

  add_test(NAME ${layer} COMMAND ${binary})
  set_tests_properties(${layer} PROPERTIES LABELS unit TIMEOUT ${LOCKSTEP_TEST_SECONDS}
                                          ENVIRONMENT "${LOCKSTEP_TEST_ENVIRONMENT}")
  lockstep_shows(shows ${arg_MPI_SANITIZERS})
  if(NOT arg_MPI OR NOT shows)
    return()
  endif()
  list(JOIN arg_WITHOUT "," without)
  if(LOCKSTEP_SANITIZE OR NOT arg_RANKS)
    set(arg_RANKS ${LOCKSTEP_TEST_RANKS})
  endif()
  foreach(ranks ${arg_RANKS})
    set(test ${layer}_np${ranks})
    add_test(NAME ${test} COMMAND ${LOCKSTEP_TEST_MPIRUN} ${ranks} $<TARGET_FILE:${binary}> --mpi
                                       "--source-file-exclude=${without}")
    set_tests_properties(${test} PROPERTIES LABELS mpi TIMEOUT ${LOCKSTEP_TEST_SECONDS} PROCESSORS ${ranks}
                                            ENVIRONMENT "${LOCKSTEP_TEST_ENVIRONMENT}")
  endforeach()
endfunction()

# lockstep_program_test(NAME SCRIPT file [ARGUMENTS argument...] [PROCESSORS n] [TIMEOUT seconds] [ALONE]
#                       [SANITIZERS sanitizer...])
# A bash script that runs our programs (label mpi); it fails by its exit code. It gets, as environment variables, the
# folder with the programs (LOCKSTEP_BUILD_DIR), the mpirun of this build's MPI (LOCKSTEP_MPIRUN), the sanitizers of this
# build (LOCKSTEP_SANITIZE, empty for none), and what mpirun needs to run as root. ALONE: nothing else runs meanwhile.
# SANITIZERS: see lockstep_shows(); the registration says why.
function(lockstep_program_test name)
  cmake_parse_arguments(arg "ALONE" "SCRIPT;PROCESSORS;TIMEOUT" "ARGUMENTS;SANITIZERS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SCRIPT)
    message(FATAL_ERROR "lockstep_program_test(${name}): needs SCRIPT; got '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  lockstep_shows(shows ${arg_SANITIZERS})
  if(NOT shows)
    return()
  endif()
  if(NOT arg_PROCESSORS)
    set(arg_PROCESSORS 2)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${LOCKSTEP_TEST_SECONDS})
  endif()
  cmake_path(ABSOLUTE_PATH arg_SCRIPT)
  add_test(NAME ${name} COMMAND bash ${arg_SCRIPT} ${arg_ARGUMENTS})
  set(environment ${LOCKSTEP_TEST_ENVIRONMENT} LOCKSTEP_BUILD_DIR=${PROJECT_BINARY_DIR}
                  LOCKSTEP_MPIRUN=${MPIEXEC_EXECUTABLE} LOCKSTEP_SANITIZE=${LOCKSTEP_SANITIZE})
  set_tests_properties(${name} PROPERTIES LABELS mpi TIMEOUT ${arg_TIMEOUT} PROCESSORS ${arg_PROCESSORS}
                                          RUN_SERIAL ${arg_ALONE} ENVIRONMENT "${environment}")
endfunction()
