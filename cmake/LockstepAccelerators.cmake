# LOCKSTEP_CUDA, LOCKSTEP_NCCL and LOCKSTEP_CUDNN = AUTO | ON | OFF. ON and missing is an error, AUTO and missing a line
# in the summary. Sets LOCKSTEP_HAS_CUDA, LOCKSTEP_HAS_NCCL and LOCKSTEP_HAS_CUDNN to 1 or 0, LOCKSTEP_..._TEXT for
# people and, with NCCL, LOCKSTEP_NCCL_VERSION and the target lockstep_nccl, with cuDNN, LOCKSTEP_CUDNN_INCLUDE_DIR.

set(LOCKSTEP_CUDA AUTO CACHE STRING "The cuda module for GPUs: AUTO, ON or OFF")
set(LOCKSTEP_NCCL AUTO CACHE STRING "NCCL, in the cuda module: AUTO, ON or OFF")
set(LOCKSTEP_CUDNN AUTO CACHE STRING "cuDNN's convolutions, for the cuda module: AUTO, ON or OFF")
foreach(option LOCKSTEP_CUDA LOCKSTEP_NCCL LOCKSTEP_CUDNN)
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  if(NOT ${option} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "${option} is '${${option}}'; it takes AUTO, ON or OFF.")
  endif()
endforeach()

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

# For a function that looks for what works on CUDA, NAME of LOCKSTEP_NAME, LABEL to people: ends that function where it is
# not to be looked for.
macro(lockstep_look_for name label)
  set(LOCKSTEP_HAS_${name} 0 PARENT_SCOPE)
  if(LOCKSTEP_${name} STREQUAL "OFF")
    set(LOCKSTEP_${name}_TEXT "no (LOCKSTEP_${name}=OFF)" PARENT_SCOPE)
    return()
  endif()
  if(NOT LOCKSTEP_HAS_CUDA)
    if(LOCKSTEP_${name} STREQUAL "ON")
      message(FATAL_ERROR "LOCKSTEP_${name}=ON, but this build has no CUDA, which ${label} works on: LOCKSTEP_CUDA is "
                          "${LOCKSTEP_CUDA_TEXT}. Configure with -DLOCKSTEP_CUDA=ON, or with -DLOCKSTEP_${name}=OFF.")
    endif()
    set(LOCKSTEP_${name}_TEXT "no (LOCKSTEP_${name}=AUTO, no CUDA)" PARENT_SCOPE)
    return()
  endif()
endmacro()

# The same function found it: with the version whose PARTS the header has as PREFIX_PART.
macro(lockstep_found name header prefix)
  set(version "")
  foreach(part ${ARGN})
    file(STRINGS ${header} line REGEX "^#define ${prefix}_${part} +[0-9]+")
    string(REGEX MATCH "[0-9]+" number "${line}")
    list(APPEND version ${number})
  endforeach()
  list(JOIN version "." version)
  set(LOCKSTEP_HAS_${name} 1 PARENT_SCOPE)
  set(LOCKSTEP_${name}_VERSION ${version} PARENT_SCOPE)
  set(LOCKSTEP_${name}_TEXT "yes (${version})" PARENT_SCOPE)
endmacro()

function(lockstep_find_nccl)
  lockstep_look_for(NCCL NCCL)
  # In the toolkit's folders, or where Debian's libnccl-dev puts them.
  find_path(LOCKSTEP_NCCL_INCLUDE_DIR nccl.h HINTS ENV NCCL_HOME ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  find_library(LOCKSTEP_NCCL_LIBRARY nccl HINTS ENV NCCL_HOME ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
  mark_as_advanced(LOCKSTEP_NCCL_INCLUDE_DIR LOCKSTEP_NCCL_LIBRARY)
  if(NOT LOCKSTEP_NCCL_INCLUDE_DIR OR NOT LOCKSTEP_NCCL_LIBRARY)
    if(LOCKSTEP_NCCL STREQUAL "ON")
      message(FATAL_ERROR "LOCKSTEP_NCCL=ON, but there is no nccl.h or libnccl in the CUDA toolkit, the system's folders "
                          "or NCCL_HOME. Install libnccl-dev, point NCCL_HOME at it, or configure with "
                          "-DLOCKSTEP_NCCL=OFF.")
    endif()
    set(LOCKSTEP_NCCL_TEXT "no (LOCKSTEP_NCCL=AUTO, no nccl.h or libnccl found)" PARENT_SCOPE)
    return()
  endif()
  lockstep_found(NCCL ${LOCKSTEP_NCCL_INCLUDE_DIR}/nccl.h NCCL MAJOR MINOR PATCH)
  add_library(lockstep_nccl INTERFACE)
  target_include_directories(lockstep_nccl SYSTEM INTERFACE ${LOCKSTEP_NCCL_INCLUDE_DIR})
  target_link_libraries(lockstep_nccl INTERFACE ${LOCKSTEP_NCCL_LIBRARY})
endfunction()

lockstep_find_nccl()

# The header is enough: the library is looked for when a GPU is used, and there are kernels of our own where it is not.
function(lockstep_find_cudnn)
  lockstep_look_for(CUDNN cuDNN)
  find_path(LOCKSTEP_CUDNN_INCLUDE_DIR cudnn.h HINTS ENV CUDNN_HOME ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  mark_as_advanced(LOCKSTEP_CUDNN_INCLUDE_DIR)
  if(NOT LOCKSTEP_CUDNN_INCLUDE_DIR)
    if(LOCKSTEP_CUDNN STREQUAL "ON")
      message(FATAL_ERROR "LOCKSTEP_CUDNN=ON, but there is no cudnn.h in the CUDA toolkit, the system's folders or "
                          "CUDNN_HOME. Install cuDNN's headers, point CUDNN_HOME at them, or configure with "
                          "-DLOCKSTEP_CUDNN=OFF.")
    endif()
    set(LOCKSTEP_CUDNN_TEXT "no (LOCKSTEP_CUDNN=AUTO, no cudnn.h found)" PARENT_SCOPE)
    return()
  endif()
  lockstep_found(CUDNN ${LOCKSTEP_CUDNN_INCLUDE_DIR}/cudnn_version.h CUDNN MAJOR MINOR PATCHLEVEL)
endfunction()

lockstep_find_cudnn()
