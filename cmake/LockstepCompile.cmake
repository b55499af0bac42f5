# lockstep_compile: the usage requirements of every target of ours, and of nobody else's: it is never exported.

add_library(lockstep_compile INTERFACE)
target_compile_features(lockstep_compile INTERFACE cxx_std_20)
target_compile_definitions(lockstep_compile INTERFACE LOCKSTEP_VERSION="${PROJECT_VERSION}")

set(warnings -Wall -Wextra -Wpedantic -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND warnings -Wno-restrict)  # gcc 12 warns about its own std::string operator+ (gcc bug 105651)
endif()
target_compile_options(lockstep_compile INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
if(LOCKSTEP_WERROR)
  target_compile_options(lockstep_compile INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>
                                                   $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()

# Calls inside liblockstep may be inlined: nobody interposes its functions. Symbols stay visible, plug-ins and the
# cuda module need them.
target_compile_options(lockstep_compile INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)

# Messages name a file as src/..., wherever the checkout lies. ccache passes paths relative to the build folder.
cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_BINARY_DIR} OUTPUT_VARIABLE source_from_build)
target_compile_options(lockstep_compile
                       INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>"
                                 "$<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${source_from_build}/=>")

if(LOCKSTEP_SANITIZE)
  target_compile_options(
    lockstep_compile
    INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${LOCKSTEP_SANITIZE}>
              $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
              $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>
              $<$<COMPILE_LANGUAGE:CXX>:-fdebug-prefix-map=${PROJECT_BINARY_DIR}=.>
              # The checks' own branches make gcc see uninitialised values that are none.
              $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
  target_link_options(lockstep_compile INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})
endif()
