#pragma once

#include <array>
#include <cstdint>

#include "tests/candidates/attest_candidate.h"

// What a caller and its worker process share: one memory file, and a socket that carries a byte
// a call each way. Both ends are the same program, so structs travel as they lie.
namespace attest::candidates::wire {

// Descriptors of the worker.
constexpr int memory_fd = 3;
constexpr int socket_fd = 4;

enum Command : char { start = 's', map_slots = 'm', call = 'c' };
enum Answer : char { done = '.', ended = '!' };  // `ended`: the worker, with Report::wait_status

// Buffers have a slot each: read-only in the worker up to `sinks`, and guarded on both sides.
enum Slot { q, k, v, allow, bias, key_lengths, slopes, sinks, output, lse, weights };
constexpr std::size_t slot_count = 11;
constexpr std::size_t first_writable = output;
constexpr std::array<const char*, slot_count + 1> slot_names = {"q",
                                                                "k",
                                                                "v",
                                                                "the allow mask",
                                                                "the bias",
                                                                "the key lengths",
                                                                "the ALiBi slopes",
                                                                "the sinks",
                                                                "the output",
                                                                "the lse",
                                                                "the weights",
                                                                "the workspace"};

// A multiple of every page size in use; slots are whole numbers of it.
constexpr std::size_t page = 65536;
constexpr std::size_t guard = 1 << 20;  // untouchable bytes on each side of a slot

struct Request {
  std::array<char, 4096> path;                     // of the shared object
  std::array<std::uint64_t, slot_count> capacity;  // of the slots, in bytes
  bool start_aligned;                              // where in its slot a buffer lies
  attest_problem problem;                          // with the worker's addresses
  attest_result result;
};

enum class State : std::int32_t { starting, ready, refused };

enum class Ended : std::int32_t { returned, threw, no_memory_for_workspace };

enum class Access : std::int32_t { unknown, read, write };

// What the worker saw of its own end, written by a signal handler.
struct Fault {
  std::int32_t signal = 0;     // 0: it saw none
  std::int32_t no_memory = 0;  // an allocation had failed since the call began
  Access access = Access::unknown;
  std::int32_t stack = 0;    // the address is next to the stack pointer
  std::int32_t nowhere = 0;  // no address, or one that the machine cannot have
  std::uint64_t address = 0;
};

struct FloatingPoint {
  std::int32_t rounding = 0;  // as fegetround()
  std::int32_t flushes_results = 0;
  std::int32_t flushes_inputs = 0;
};

struct Report {
  std::int32_t wait_status;  // of a worker that ended
  State state;
  std::array<char, 1024> text;  // of `refused` and `threw`
  attest_info info;
  std::array<char, 256> name;
  std::array<std::uint64_t, slot_count> address;  // where the slots are mapped
  FloatingPoint loaded;                           // after loading
  FloatingPoint called;                           // after a call
  Ended ended;
  std::int32_t code;  // returned
  std::int32_t no_memory;
  std::uint64_t workspace_bytes;
  std::uint64_t workspace_address;
  Fault fault;
};

constexpr std::size_t request_at = 0;
constexpr std::size_t report_at = page;
constexpr std::size_t slots_at = 2 * page;
static_assert(sizeof(Request) <= page && sizeof(Report) <= page);

}  // namespace attest::candidates::wire
