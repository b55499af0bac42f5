# liblockstep as others see it: in this build, and as lockstep::lockstep after find_package(lockstep).
include(CMakePackageConfigHelpers)

set(header_dir ${CMAKE_INSTALL_INCLUDEDIR}/lockstep)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)

# The cuda module lies beside liblockstep, which looks for it there.
set_target_properties(
  lockstep PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_compile_features(lockstep INTERFACE cxx_std_20)
# Programs and plug-ins are told which version they were compiled for.
target_compile_definitions(lockstep INTERFACE LOCKSTEP_VERSION="${PROJECT_VERSION}")
target_link_libraries(lockstep PUBLIC fmt::fmt Threads::Threads
                               PRIVATE $<BUILD_INTERFACE:lockstep_compile> ${CMAKE_DL_LIBS})
if(NOT LOCKSTEP_SANITIZE)
  target_link_options(lockstep PRIVATE LINKER:--no-undefined)
endif()
add_library(lockstep::lockstep ALIAS lockstep)

install(TARGETS lockstep EXPORT lockstep LIBRARY FILE_SET HEADERS DESTINATION ${header_dir})

install(EXPORT lockstep NAMESPACE lockstep:: FILE lockstepTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/lockstepConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/package/lockstepConfig.cmake INSTALL_DESTINATION ${package_dir})
# Below 1.0 a new minor version may break what was.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/lockstepConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/lockstepConfig.cmake
              ${PROJECT_BINARY_DIR}/package/lockstepConfigVersion.cmake DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What users read and copy lies as it does in a clone, so that its links and the paths in it hold.
set(share_dir ${CMAKE_INSTALL_DATADIR}/lockstep)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md DESTINATION ${share_dir})
install(FILES ${PROJECT_SOURCE_DIR}/bench/README.md DESTINATION ${share_dir}/bench)
foreach(module arrays checkpoint tf_config)
  install(FILES ${PROJECT_SOURCE_DIR}/python/lockstep_${module}.py DESTINATION ${share_dir}/python)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${share_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${share_dir} PATTERN build EXCLUDE)
configure_file(${PROJECT_SOURCE_DIR}/cmake/install_tree.cmake.in ${PROJECT_BINARY_DIR}/package/install_tree.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/package/install_tree.cmake)
