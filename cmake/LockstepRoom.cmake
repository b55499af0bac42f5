# lockstep_room(NAME SOURCES... [USES target...] [SEES room...])
# One folder of src/ as an object library, lockstep_NAME, that liblockstep is made of. SEES names the rooms whose headers
# it may include; USES the outside libraries it alone needs.
function(lockstep_room name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;SEES" ${ARGN})
  add_library(lockstep_${name} OBJECT ${arg_SOURCES})
  set_target_properties(lockstep_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(lockstep_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  target_link_libraries(lockstep_${name} PRIVATE lockstep_build ${arg_USES})
  target_link_libraries(lockstep_${name} PUBLIC fmt::fmt)
  target_sources(lockstep PRIVATE $<TARGET_OBJECTS:lockstep_${name}>)
  target_link_libraries(lockstep PRIVATE ${arg_USES})
endfunction()
