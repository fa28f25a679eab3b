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

// `program candidate-worker`, and the worker that it forked, if any. Killed at the end by the
// process that started it.
class WorkerProcess {
 public:
  WorkerProcess(const std::string& program, std::uint64_t memory_bytes);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  enum class Reply { answered, died, late };
  // A fresh worker over the shared object of the request. Any one before it must have ended.
  Reply start(double seconds);
  Reply ask(wire::Command command, double seconds);

  // Ends the worker, if it runs. False where nothing more can be had of this process.
  bool end();

  SharedMemory& memory() { return memory_; }
  bool mine() const;  // not inherited over a fork

 private:
  Reply wait(double seconds);

  SharedMemory memory_;
  Descriptor socket_;
  pid_t process_ = -1;
  pid_t owner_ = -1;
  bool worker_runs_ = false;
  bool broken_ = false;  // the process that forks workers is gone
};

}  // namespace attest::candidates
