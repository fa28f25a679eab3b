# attest_library(NAME SOURCES... ) and attest_test(NAME SOURCES... LIBRARIES...): the two kinds of
# target this project has, so that language level, warnings and include root are stated once.

add_library(attest_warnings INTERFACE)
target_compile_options(attest_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion
                       -Wsign-conversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False reports on std::string at -O2 (GCC bug 105651).
  target_compile_options(attest_warnings INTERFACE -Wno-restrict)
endif()
if(ATTEST_WERROR)
  target_compile_options(attest_warnings INTERFACE -Werror)
endif()

function(attest_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(attest_${name} STATIC ${ARG_SOURCES})
  add_library(attest::${name} ALIAS attest_${name})
  set_target_properties(attest_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(attest_${name} PUBLIC cxx_std_20)
  target_include_directories(attest_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/attest>)
  target_link_libraries(attest_${name} PUBLIC ${ARG_PUBLIC}
                        PRIVATE $<BUILD_INTERFACE:attest_warnings> ${ARG_PRIVATE})
endfunction()

# The same cases in every run; -DATTEST_RC_PARAMS="seed=N max_success=M" draws others.
set(ATTEST_RC_PARAMS "seed=1706" CACHE STRING "RC_PARAMS of the tests")

# attest_slow(TEST...): these take more than some five seconds under sanitizers; `ctest -LE slow`
# leaves them out. house.labels compares these names with the labels of the tests.
function(attest_slow)
  set_property(GLOBAL APPEND PROPERTY ATTEST_SLOW_TESTS ${ARGN})
endfunction()

# One GoogleTest program; each of its tests is a ctest test. SLOW names those that attest_slow() is
# meant for.
function(attest_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;SLOW" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE attest_warnings ${ARG_LIBRARIES} GTest::gtest_main)
  set(discovery NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES ENVIRONMENT "RC_PARAMS=${ATTEST_RC_PARAMS}")
  if(NOT ARG_SLOW)
    gtest_discover_tests(${name} ${discovery})
    return()
  endif()
  attest_slow(${ARG_SLOW})
  list(JOIN ARG_SLOW ":" slow)
  gtest_discover_tests(${name} TEST_FILTER "-${slow}" TEST_LIST ${name}_quick ${discovery})
  gtest_discover_tests(${name} TEST_FILTER "${slow}" TEST_LIST ${name}_slow ${discovery}
                       LABELS slow)
endfunction()
