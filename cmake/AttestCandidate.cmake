# attest_add_candidate(NAME SOURCES...): a shared object libNAME.so for `attest verify`. Where the
# program is found (or named by ATTEST_PROGRAM), `ctest` verifies it too.
set(_attest_candidate_dir "${CMAKE_CURRENT_LIST_DIR}")

function(attest_add_candidate name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX lib C_STANDARD 99 C_VISIBILITY_PRESET hidden
                        CXX_STANDARD 17 CXX_VISIBILITY_PRESET hidden)
  # attest_candidate.h lies beside this file, or where the installed package has it.
  target_include_directories(${name} PRIVATE "${_attest_candidate_dir}"
                             ${ATTEST_CANDIDATE_INCLUDE_DIR})
  target_link_libraries(${name} PRIVATE m)
  find_program(ATTEST_PROGRAM attest)
  if(ATTEST_PROGRAM)
    enable_testing()
    add_test(NAME verify.${name} COMMAND "${ATTEST_PROGRAM}" verify "$<TARGET_FILE:${name}>")
  endif()
endfunction()
