#include "tests/candidates/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

#include "tests/candidates/worker_program.h"

namespace attest::candidates {
namespace {

[[noreturn]] void fail_system(const std::string& what, int error = errno) {
  throw std::system_error(error, std::generic_category(), what);
}

// Above the numbers that the worker gets, so that none is overwritten before it is copied.
Descriptor above_worker(int number) {
  const Descriptor low(number);
  Descriptor high(fcntl(number, F_DUPFD_CLOEXEC, wire::socket_fd + 1));
  if (high.number() < 0) fail_system("fcntl");
  return high;
}

struct SpawnPlan {
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void give(int from, int to) { posix_spawn_file_actions_adddup2(&actions, from, to); }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

SharedMemory::SharedMemory() : file_(above_worker(memfd_create("attest-candidate", MFD_CLOEXEC))) {
  map(wire::slots_at);
}

SharedMemory::~SharedMemory() { munmap(base_, bytes_); }

void SharedMemory::map(std::size_t bytes) {
  if (ftruncate(file_.number(), static_cast<off_t>(bytes)) != 0) fail_system("ftruncate");
  if (base_ != nullptr) munmap(base_, bytes_);
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
  if (base == MAP_FAILED) fail_system("mmap");
  base_ = static_cast<std::byte*>(base);
  bytes_ = bytes;
}

bool SharedMemory::reserve(const std::array<std::uint64_t, wire::slot_count>& bytes) {
  bool grown = false;
  std::size_t end = wire::slots_at;
  for (std::size_t slot = 0; slot < wire::slot_count; ++slot) {
    std::uint64_t& capacity = capacity_[slot];
    if (bytes[slot] > capacity || capacity == 0) {
      grown = true;
      capacity = wire::page;
      while (capacity < bytes[slot]) capacity *= 2;
    }
    slot_at_[slot] = end;
    end += capacity;
  }
  if (!grown) return false;
  map(end);
  request().capacity = capacity_;
  return true;
}

WorkerProcess::WorkerProcess(const std::string& program, std::uint64_t memory_bytes)
    : owner_(getpid()) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail_system("socketpair");
  socket_ = above_worker(ends[0]);
  const Descriptor theirs = above_worker(ends[1]);
  SpawnPlan plan;
  posix_spawn_file_actions_addopen(&plan.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  plan.give(STDERR_FILENO, STDOUT_FILENO);  // what a kernel prints is no result of attest's
  plan.give(memory_.descriptor(), wire::memory_fd);
  plan.give(theirs.number(), wire::socket_fd);
  posix_spawn_file_actions_addclosefrom_np(&plan.actions, wire::socket_fd + 1);
  std::string name = "attest", command = worker_command, limit = std::to_string(memory_bytes);
  char* const arguments[] = {name.data(), command.data(), limit.data(), nullptr};
  const int error =
      posix_spawn(&process_, program.c_str(), &plan.actions, &plan.attributes, arguments, environ);
  if (error != 0) fail_system("cannot start " + program, error);
}

WorkerProcess::~WorkerProcess() {
  if (!mine()) return;
  kill(process_, SIGKILL);  // and with it the worker
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool WorkerProcess::mine() const { return owner_ == getpid(); }

WorkerProcess::Reply WorkerProcess::wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto deadline =
      Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000) + 1);
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Reply::late;
    pollfd wait{socket_.number(), POLLIN, 0};
    const int ready =
        poll(&wait, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
    if (ready < 0 && errno != EINTR) fail_system("poll");
    if (ready <= 0) continue;
    char byte = 0;
    const ssize_t got = recv(socket_.number(), &byte, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got == 1 && byte != wire::ended) return Reply::answered;
    worker_runs_ = false;
    broken_ = got != 1;
    return Reply::died;
  }
}

WorkerProcess::Reply WorkerProcess::start(double seconds) {
  worker_runs_ = true;
  return ask(wire::start, seconds);
}

WorkerProcess::Reply WorkerProcess::ask(wire::Command command, double seconds) {
  if (send(socket_.number(), &command, 1, MSG_NOSIGNAL) == 1) return wait(seconds);
  broken_ = true;
  return Reply::died;
}

bool WorkerProcess::end() {
  while (worker_runs_ && !broken_) {
    kill(process_, SIGTERM);
    if (wait(10) == Reply::late) broken_ = true;
  }
  return !broken_;
}

}  // namespace attest::candidates
