#pragma once

#include <gtest/gtest.h>

#include <string>

#include "attention/error.h"

namespace attest::test {

// The line of the InputError that `action` throws; fails the test where it throws none.
template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError was thrown";
  return {};
}

// The field it names.
template <class Action>
std::string field_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.field();
  }
  return "no InputError was thrown";
}

}  // namespace attest::test
