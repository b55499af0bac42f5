# HDF5::serial, the C library of HDF5 in its serial, thread-safe flavour. A module of our own, because Debian keeps two
# flavours side by side and CMake's takes whichever h5cc comes first: the MPI flavour includes mpi.h, links libmpi and
# is not thread-safe, and we read on several threads.
include(FindPackageHandleStandardArgs)

find_path(HDF5Serial_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5Serial_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
mark_as_advanced(HDF5Serial_INCLUDE_DIR HDF5Serial_LIBRARY)

if(HDF5Serial_INCLUDE_DIR)
  file(STRINGS ${HDF5Serial_INCLUDE_DIR}/H5public.h numbers REGEX "^#define H5_VERS_(MAJOR|MINOR|RELEASE)[ \t]")
  list(TRANSFORM numbers REPLACE "^#define H5_VERS_[A-Z]+[ \t]+([0-9]+).*" "\\1")
  string(JOIN "." HDF5Serial_VERSION ${numbers})
  # On machines of several architectures H5pubconf.h only includes the one that fits.
  file(GLOB configuration ${HDF5Serial_INCLUDE_DIR}/H5pubconf*.h)
  set(HDF5Serial_PARALLEL FALSE)
  set(HDF5Serial_THREAD_SAFE FALSE)
  foreach(file ${configuration})
    file(STRINGS ${file} features REGEX "^#define H5_HAVE_(PARALLEL|THREADSAFE)[ \t]+1")
    if(features MATCHES PARALLEL)
      set(HDF5Serial_PARALLEL TRUE)
    endif()
    if(features MATCHES THREADSAFE)
      set(HDF5Serial_THREAD_SAFE TRUE)
    endif()
  endforeach()
endif()

if(HDF5Serial_PARALLEL)
  set(why "The one in ${HDF5Serial_INCLUDE_DIR} is the MPI flavour; install libhdf5-dev, or set HDF5Serial_INCLUDE_DIR \
and HDF5Serial_LIBRARY.")
elseif(HDF5Serial_INCLUDE_DIR AND NOT HDF5Serial_THREAD_SAFE)
  set(why "The one in ${HDF5Serial_INCLUDE_DIR} is not thread-safe; build HDF5 with HDF5_ENABLE_THREADSAFE, or set \
HDF5Serial_INCLUDE_DIR and HDF5Serial_LIBRARY to one that was.")
else()
  set(why "Install libhdf5-dev, or set HDF5Serial_INCLUDE_DIR and HDF5Serial_LIBRARY.")
endif()
set(HDF5Serial_SUITABLE FALSE)
if(HDF5Serial_THREAD_SAFE AND NOT HDF5Serial_PARALLEL)
  set(HDF5Serial_SUITABLE TRUE)
endif()
find_package_handle_standard_args(
  HDF5Serial REQUIRED_VARS HDF5Serial_LIBRARY HDF5Serial_INCLUDE_DIR HDF5Serial_SUITABLE
  VERSION_VAR HDF5Serial_VERSION REASON_FAILURE_MESSAGE "${why}")
if(HDF5Serial_FOUND AND NOT TARGET HDF5::serial)
  add_library(HDF5::serial UNKNOWN IMPORTED)
  set_target_properties(HDF5::serial PROPERTIES IMPORTED_LOCATION ${HDF5Serial_LIBRARY}
                                                INTERFACE_INCLUDE_DIRECTORIES ${HDF5Serial_INCLUDE_DIR})
endif()
