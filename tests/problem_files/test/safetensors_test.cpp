#include "tests/problem_files/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/input_error.h"

namespace attest::problem_files {
namespace {

std::string file_of(const std::string& header, std::size_t data) {
  const std::uint64_t length = header.size();
  std::string content(8, '\0');
  std::memcpy(content.data(), &length, 8);
  return content + header + std::string(data, '\0');
}

std::string refusal(const std::string& content) {
  return test::message_of([&] { read_safetensors(content, "f"); });
}

TEST(Safetensors, AreReadAsTheyWereWritten) {
  SafeTensors file;
  file.metadata["a"] = "b \"c\" \xc3\xa9";
  file.tensors["x"] = {StoredType::f16, {2, 3}, std::string_view("0123456789ab")};
  file.tensors["y"] = {StoredType::boolean, {}, std::string_view("\1", 1)};
  file.tensors["z"] = {StoredType::f64, {0, 4}, std::string_view()};
  const std::string content = write_safetensors(file);
  const SafeTensors again = read_safetensors(content, "f");
  EXPECT_EQ(again.metadata, file.metadata);
  EXPECT_EQ(again.find("x")->bytes, "0123456789ab");
  EXPECT_EQ(again.find("x")->shape, (std::vector<Index>{2, 3}));
  EXPECT_EQ(again.find("y")->elements(), 1);
  EXPECT_EQ(again.find("z")->elements(), 0);
  EXPECT_EQ(again.find("w"), nullptr);
}

TEST(Safetensors, EachBrokenFileIsOneClearLine) {
  const std::string good = R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  EXPECT_NO_THROW(read_safetensors(file_of(good, 8), "f"));
  const struct {
    std::string content;
    const char* says;
  } broken[] = {
      {"", "0 bytes"},
      {"short", "5 bytes"},
      {std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10), "a header of"},
      {file_of("{", 0), "parse error"},
      {file_of("[]", 0), "a header that is an object"},
      {file_of(good, 7), "data_offsets"},
      {file_of(good, 9), "1 bytes after the last tensor"},
      {file_of(R"({"x":{"dtype":"F33","shape":[2],"data_offsets":[0,8]}})", 8), "dtype"},
      {file_of(R"({"x":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8), "12 bytes"},
      {file_of(R"({"x":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8), "whole number"},
      {file_of(R"({"x":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}})", 8), "whole number"},
      {file_of(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8), "data_offsets"},
      {file_of(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12), "bytes from 0"},
      {file_of(R"({"x":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0),
       "fewer than 2^63"},
      {file_of(R"({"x":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}})", 4),
       "at most 8"},
      {file_of(R"({"x":{"dtype":"F32","shape":[2]}})", 8), "dtype, shape and data_offsets"},
      {file_of(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
                   "x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
               8),
       "twice"},
      {file_of(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
                   "y":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
               12),
       "bytes from 8"},
      {file_of(R"({"__metadata__":{"a":1}})", 0), "a string"},
      {file_of(R"({"__metadata__":[]})", 0), "an object of strings"},
      {file_of(R"({"x":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", 0) + '\2', "0 or 1"},
  };
  for (const auto& [content, says] : broken)
    EXPECT_NE(refusal(content).find(says), std::string::npos) << refusal(content);
}

// Every file that is cut off, and every file with one byte changed, is read or refused.
TEST(Safetensors, NeverReadBeyondTheirBytes) {
  SafeTensors file;
  file.metadata["op"] = "x";
  file.tensors["x"] = {StoredType::f32, {1, 2}, std::string_view("01234567")};
  const std::string content = write_safetensors(file);
  for (std::size_t n = 0; n < content.size(); ++n)
    EXPECT_THROW(read_safetensors(content.substr(0, n), "f"), InputError) << n;
  for (std::size_t n = 0; n < content.size(); ++n)
    for (const char byte : {'\0', '\x7f', '\xff', '9', '"', '}'}) {
      std::string changed = content;
      changed[n] = byte;
      try {
        read_safetensors(changed, "f");
      } catch (const InputError&) {
      }
    }
}

}  // namespace
}  // namespace attest::problem_files
