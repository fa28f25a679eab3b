#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>

#include "tests/candidates/worker_wire.h"

namespace attest::candidates {

// A descriptor that is closed.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }

 private:
  int number_;
};

// The memory file, mapped here. Slots grow and never shrink.
class SharedMemory {
 public:
  SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  int descriptor() const { return file_.number(); }
  wire::Request& request() { return *reinterpret_cast<wire::Request*>(base_ + wire::request_at); }
  wire::Report& report() { return *reinterpret_cast<wire::Report*>(base_ + wire::report_at); }
  std::byte* slot(std::size_t slot) { return base_ + slot_at_[slot]; }
  std::uint64_t capacity(std::size_t slot) { return capacity_[slot]; }

  // Makes room; true where slots moved, so that the worker must map them again.
  bool reserve(const std::array<std::uint64_t, wire::slot_count>& bytes);

 private:
  void map(std::size_t bytes);

  Descriptor file_;
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::array<std::uint64_t, wire::slot_count> capacity_{};
  std::array<std::size_t, wire::slot_count> slot_at_{};
};

// A running worker, killed at the end.
class WorkerProcess {
 public:
  // `program candidate-worker path memory_bytes`
  WorkerProcess(const std::string& program, const std::string& path, std::uint64_t memory_bytes,
                int memory_fd);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  enum class Reply { answered, died, late };
  Reply wait(double seconds);
  Reply ask(wire::Command command, double seconds);

  // Of one that died: its wait status. Of another: kills it first.
  int bury();

 private:
  pid_t process_ = -1;
  Descriptor socket_;
};

}  // namespace attest::candidates
