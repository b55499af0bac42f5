# Run by ctest with the variables that CMakeLists.txt next to it gives.

# run(SAYS command...): checks that the command ends with 0; its output goes to the variable SAYS.
function(run says)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nended with ${code} and said:\n${output}")
  endif()
  set(${says} "${output}" PARENT_SCOPE)
endfunction()

set(prefix ${work_dir}/prefix)
set(built ${work_dir}/built)
file(REMOVE_RECURSE ${prefix} ${built})
run(output ${CMAKE_COMMAND} --install ${build_dir} --prefix ${prefix})
run(output bash ${CMAKE_CURRENT_LIST_DIR}/tree_test.sh ${prefix} ${bin_dir})
set(examples_dir ${prefix}/share/lockstep/examples)

# build(SOURCE NAME cmake_argument...): builds a user's project in ${built}/NAME.
function(build source name)
  run(output ${CMAKE_COMMAND} -G Ninja -S ${source} -B ${built}/${name} -D CMAKE_PREFIX_PATH=${prefix}
             -D CMAKE_CXX_COMPILER=${cxx} ${ARGN})
  run(output ${CMAKE_COMMAND} --build ${built}/${name})
endfunction()

# optimised(NAME): checks that build() has optimised an example, although no build type was given.
function(optimised name)
  file(STRINGS ${built}/${name}/build.ninja flags REGEX "^ *FLAGS = .*-O[23]")
  if(NOT flags)
    message(FATAL_ERROR "examples/${name} is built without optimisation")
  endif()
endfunction()

build(${CMAKE_CURRENT_LIST_DIR}/consumer consumer -D expected_version=${version})
run(output ${built}/consumer/consumer)
if(NOT output MATCHES "lockstep ${version}: 64 elements of 0.5 add up to 32")
  message(FATAL_ERROR "the program built against the installed library said:\n${output}")
endif()

# example(NAME LISTED LEAST flag...): builds one of the examples, finds a line LISTED in --registry_help, and trains with
# the flags, on one rank and on two, to a dev accuracy of LEAST percent.
function(example name listed least)
  build(${examples_dir}/${name} ${name})
  optimised(${name})
  set(train ${prefix}/${bin_dir}/train --usr_lib=${built}/${name}/lib${name}.so)
  run(output ${train} --registry_help)
  if(NOT output MATCHES "\n  ${listed} +[a-z]")
    message(FATAL_ERROR "examples/${name}: --registry_help does not list ${listed}:\n${output}")
  endif()
  foreach(start "" "${mpirun};--oversubscribe;--bind-to;none;-np;2")
    run(output ${start} ${train} ${ARGN})
    if(NOT output MATCHES "trained [^\n]* dev accuracy ([0-9]+)" OR CMAKE_MATCH_1 LESS least)
      message(FATAL_ERROR "examples/${name}: expected a dev accuracy of ${least} %:\n${output}")
    endif()
  endforeach()
endfunction()

example(custom_model windows 30 --model=windows --train_steps=60)
example(custom_layer swish_mlp 30 --model=swish_mlp --train_steps=200)
run(output ${built}/custom_layer/check_swish)
if(NOT output MATCHES "relative deviation from central differences [0-9.]+e-")
  message(FATAL_ERROR "examples/custom_layer: check_swish said:\n${output}")
endif()
example(custom_problem spirals 90 --problem=spirals --hparams_set=spirals --train_steps=200)
example(custom_sequence reversed_lists 90 --problem=reversed_lists --hparams_set=reversed_lists)

build(${examples_dir}/own_loop own_loop)
optimised(own_loop)
run(output bash ${CMAKE_CURRENT_LIST_DIR}/own_loop_test.sh ${built}/own_loop/own_loop ${prefix}/${bin_dir}/lockstep
           ${built}/consumer/thrower ${work_dir}/own_loop ${mpirun})

# The installed programs find the installed library and its Python, wherever the folder is moved.
file(RENAME ${prefix} ${prefix}_moved)
foreach(program train lockstep)
  run(output ${prefix}_moved/${bin_dir}/${program} --version)
  if(NOT output MATCHES "${version}")
    message(FATAL_ERROR "the installed ${program} --version does not name ${version}:\n${output}")
  endif()
endforeach()
run(output ${prefix}_moved/${bin_dir}/lockstep cluster --reader=estimator "--tf_config={}")
set(module ${prefix}_moved/${lib_dir}/liblockstep_cuda.so)
if(has_cuda AND NOT EXISTS ${module})
  message(FATAL_ERROR "liblockstep_cuda.so was not installed next to liblockstep")
endif()
if(has_cuda)
  run(output ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ldd ${module})
  if(output MATCHES "not found")
    message(FATAL_ERROR "the installed liblockstep_cuda.so does not find its libraries:\n${output}")
  endif()
endif()
file(REMOVE_RECURSE ${prefix}_moved ${built})
