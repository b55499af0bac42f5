# lockstep_layer(NAME SOURCES file... [PUBLIC header...] [USES target...] [DEFINES name=value...])
# One folder of src/ as an object library, lockstep_NAME, that liblockstep is made of. PUBLIC lists the headers that
# plug-ins and programs of others may include: they are installed, the others are not, so they include no others
# (tests/install checks it, and that docs/extending.md lists the same). USES names the outside libraries that this layer
# alone sees. tests/layers enforces which layers may include which. With LOCKSTEP_UNITY a dozen files at a time are
# compiled as one, but for those with options of their own, which CMake compiles one by one.
function(lockstep_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;USES;DEFINES" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "lockstep_layer(${name}): takes SOURCES, PUBLIC, USES and DEFINES; got "
                        "'${arg_UNPARSED_ARGUMENTS}'")
  endif()
  add_library(lockstep_${name} OBJECT ${arg_SOURCES})
  set_target_properties(lockstep_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD ${LOCKSTEP_UNITY}
                                                    UNITY_BUILD_BATCH_SIZE 12)
  target_include_directories(lockstep_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(lockstep_${name} PRIVATE ${arg_DEFINES})
  target_link_libraries(lockstep_${name} PRIVATE lockstep_compile fmt::fmt Threads::Threads ${arg_USES})

  target_sources(lockstep PRIVATE $<TARGET_OBJECTS:lockstep_${name}>
                          PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${arg_PUBLIC})
  target_link_libraries(lockstep PRIVATE "$<BUILD_INTERFACE:${arg_USES}>")
endfunction()

add_custom_target(programs COMMENT "The programs and what they load")

# lockstep_program(NAME SOURCES file...)
# A program of the same name in the root of the build folder. Its target is called program_NAME.
function(lockstep_program name)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  add_executable(program_${name} ${arg_SOURCES})
  set_target_properties(program_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(program_${name} PRIVATE lockstep lockstep_compile)
  file(RELATIVE_PATH lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(program_${name} PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
  add_dependencies(programs program_${name})
  install(TARGETS program_${name} RUNTIME)
endfunction()

# Where files lie that the build makes for other files to include, under the paths they would have in src/.
set(LOCKSTEP_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
add_custom_target(generated COMMENT "The headers that the build makes")

# lockstep_protobuf(LAYER FILE.proto)
# The classes of a .proto of that layer, compiled into it; files of the layer include them as "layer/FILE.pb.h".
function(lockstep_protobuf layer proto)
  cmake_path(REMOVE_EXTENSION proto OUTPUT_VARIABLE stem)
  set(made ${LOCKSTEP_GENERATED_DIR}/${layer}/${stem}.pb)
  add_custom_command(
    OUTPUT ${made}.cc ${made}.h
    COMMAND ${CMAKE_COMMAND} -E make_directory ${LOCKSTEP_GENERATED_DIR}
    COMMAND protobuf::protoc --cpp_out=${LOCKSTEP_GENERATED_DIR} --proto_path=${PROJECT_SOURCE_DIR}/src ${layer}/${proto}
    DEPENDS ${proto}
    VERBATIM)
  target_sources(lockstep_${layer} PRIVATE ${made}.cc ${made}.h)
  set_source_files_properties(${made}.cc PROPERTIES COMPILE_OPTIONS -w SKIP_UNITY_BUILD_INCLUSION ON)
  target_include_directories(lockstep_${layer} SYSTEM PRIVATE ${LOCKSTEP_GENERATED_DIR})
  add_custom_target(generated_${layer} DEPENDS ${made}.h)
  add_dependencies(generated generated_${layer})
endfunction()

# lockstep_embed(LAYER FILE.cc.in text...)
# A source of that layer with the contents of files in it: those of a/page.css take the place of @page_css@.
function(lockstep_embed layer template)
  foreach(file ${ARGN})
    cmake_path(GET file FILENAME name)
    string(REPLACE "." "_" name ${name})
    file(READ ${file} ${name})
  endforeach()
  cmake_path(REMOVE_EXTENSION template LAST_ONLY OUTPUT_VARIABLE source)
  configure_file(${template} ${LOCKSTEP_GENERATED_DIR}/${layer}/${source} @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  target_sources(lockstep_${layer} PRIVATE ${LOCKSTEP_GENERATED_DIR}/${layer}/${source})
endfunction()
