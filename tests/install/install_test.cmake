# Run by ctest with the variables that CMakeLists.txt beside it gives.

# run(SAYS command...): the command ends with 0; its output goes to the variable SAYS.
function(run says)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nended with ${code} and said:\n${output}")
  endif()
  set(${says} "${output}" PARENT_SCOPE)
endfunction()

set(prefix ${work_dir}/prefix)
set(consumer_build ${work_dir}/consumer)
file(REMOVE_RECURSE ${prefix} ${consumer_build})

run(output ${CMAKE_COMMAND} --install ${build_dir} --prefix ${prefix})
run(output ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${consumer_build}
           -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${cxx} -D expected_version=${version})
run(output ${CMAKE_COMMAND} --build ${consumer_build})
run(output ${consumer_build}/consumer)
if(NOT output MATCHES "lockstep ${version}: 64 elements of 0.5 add up to 32")
  message(FATAL_ERROR "the program built against the installed library said:\n${output}")
endif()

# The installed programs find the installed library, wherever the folder was put.
file(RENAME ${prefix} ${prefix}_moved)
foreach(program train lockstep)
  run(output ${prefix}_moved/${bin_dir}/${program} --version)
  if(NOT output MATCHES "${version}")
    message(FATAL_ERROR "the installed ${program} --version does not name ${version}:\n${output}")
  endif()
endforeach()
if(has_cuda AND NOT EXISTS ${prefix}_moved/${lib_dir}/liblockstep_cuda.so)
  message(FATAL_ERROR "liblockstep_cuda.so was not installed beside liblockstep")
endif()
file(REMOVE_RECURSE ${prefix}_moved ${consumer_build})
