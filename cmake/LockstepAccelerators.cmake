# LOCKSTEP_CUDA = AUTO | ON | OFF. ON and missing is an error, AUTO and missing a line in the summary.
# Sets LOCKSTEP_HAS_CUDA to 1 or 0, and LOCKSTEP_CUDA_TEXT for people.

set(LOCKSTEP_CUDA AUTO CACHE STRING "The cuda module for GPUs: AUTO, ON or OFF")
set_property(CACHE LOCKSTEP_CUDA PROPERTY STRINGS AUTO ON OFF)
if(NOT LOCKSTEP_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "LOCKSTEP_CUDA is '${LOCKSTEP_CUDA}'; it takes AUTO, ON or OFF.")
endif()

# A CUDA architecture is needed before the language is enabled: CUDA 13 refuses the default that CMake 3.25 knows.
# Turing to Hopper as machine code, and the newest one's PTX for what comes after it.
set(LOCKSTEP_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90)

function(lockstep_find_cuda)
  set(LOCKSTEP_HAS_CUDA 0 PARENT_SCOPE)
  if(LOCKSTEP_CUDA STREQUAL "OFF")
    set(LOCKSTEP_CUDA_TEXT "no (LOCKSTEP_CUDA=OFF)" PARENT_SCOPE)
    return()
  endif()
  if(NOT CMAKE_CUDA_COMPILER)
    find_program(LOCKSTEP_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
    mark_as_advanced(LOCKSTEP_NVCC)
  endif()
  if(CMAKE_CUDA_COMPILER OR LOCKSTEP_NVCC)
    set(LOCKSTEP_HAS_CUDA 1 PARENT_SCOPE)
    return()
  endif()
  if(LOCKSTEP_CUDA STREQUAL "ON")
    message(FATAL_ERROR "LOCKSTEP_CUDA=ON, but there is no nvcc in PATH, CUDA_HOME or /usr/local/cuda. Install the "
                        "CUDA toolkit, point CUDA_HOME at it, or configure with -DLOCKSTEP_CUDA=OFF.")
  endif()
  set(LOCKSTEP_CUDA_TEXT "no (LOCKSTEP_CUDA=AUTO, no nvcc found)" PARENT_SCOPE)
endfunction()

lockstep_find_cuda()
if(LOCKSTEP_HAS_CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${LOCKSTEP_NVCC})
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${LOCKSTEP_CUDA_ARCHITECTURES})
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(LOCKSTEP_CUDA_TEXT "yes (${CUDAToolkit_VERSION_MAJOR}.${CUDAToolkit_VERSION_MINOR})")
endif()
