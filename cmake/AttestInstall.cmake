# Installs the libraries, their headers and the program, so that find_package(attest) works.
include(CMakePackageConfigHelpers)

install(TARGETS attest_attention attest_oracle attest_estimator attest_reports
        attest_properties attest_candidates
        EXPORT attestTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS attest RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(folder attention oracle estimator reports)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/attest
          FILES_MATCHING PATTERN "*.h")
endforeach()
foreach(folder properties candidates)
  install(DIRECTORY tests/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/attest/tests
          FILES_MATCHING PATTERN "*.h" PATTERN test EXCLUDE)
endforeach()

install(FILES tests/candidates/attest_candidate.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/attest)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/attest)
install(EXPORT attestTargets NAMESPACE attest:: DESTINATION ${package})
configure_package_config_file(cmake/attestConfig.cmake.in attestConfig.cmake
                              INSTALL_DESTINATION ${package}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(attestConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/attestConfig.cmake"
              "${PROJECT_BINARY_DIR}/attestConfigVersion.cmake"
              cmake/AttestCandidate.cmake
        DESTINATION ${package})
