#include "tests/candidates/worker_program.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "tests/candidates/shared_object.h"
#include "tests/candidates/worker_wire.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace attest::candidates {
namespace {

using wire::Access;
using wire::Fault;
using wire::FloatingPoint;
using wire::Report;
using wire::Request;

#if defined(__x86_64__)
constexpr unsigned flush_results = 1u << 15, flush_inputs = 1u << 6;
#elif defined(__aarch64__)
constexpr std::uint64_t flush_both = 1u << 24;
std::uint64_t control_register() {
  std::uint64_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
}
#endif

FloatingPoint floating_point() {
  FloatingPoint state{.rounding = std::fegetround()};
#if defined(__x86_64__)
  state.flushes_results = (_mm_getcsr() & flush_results) != 0;
  state.flushes_inputs = (_mm_getcsr() & flush_inputs) != 0;
#elif defined(__aarch64__)
  state.flushes_results = state.flushes_inputs = (control_register() & flush_both) != 0;
#endif
  return state;
}

void reset_floating_point() {
  std::fesetenv(FE_DFL_ENV);  // glibc's default clears flush-to-zero on both machines
}

Report* report_of_faults = nullptr;  // for the signal handler

void record_fault(int signal, siginfo_t* info, void* context) {
  Fault fault{.signal = signal, .no_memory = errno == ENOMEM};
  if (signal == SIGSEGV || signal == SIGBUS) {
    fault.address = reinterpret_cast<std::uint64_t>(info->si_addr);
    fault.nowhere = info->si_code == SI_KERNEL || info->si_code <= 0;
    std::uint64_t stack = 0;
    const auto* machine = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
    fault.access = machine->uc_mcontext.gregs[REG_ERR] & 2 ? Access::write : Access::read;
    stack = static_cast<std::uint64_t>(machine->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
    stack = machine->uc_mcontext.sp;
#else
    (void)machine;
#endif
    const std::uint64_t distance =
        fault.address > stack ? fault.address - stack : stack - fault.address;
    fault.stack = stack != 0 && distance < wire::page;
  }
  report_of_faults->fault = fault;
  std::signal(signal, SIG_DFL);  // and once more, so that the caller sees which signal it was
  raise(signal);
}

void watch_faults(Report& report) {
  report_of_faults = &report;
  static std::array<char, wire::page> stack;
  const stack_t alternate{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_sigaction = record_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
}

// Address space that nothing may touch, parts of which are opened.
class Region {
 public:
  Region() = default;
  explicit Region(std::size_t bytes)
      : base_(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
        bytes_(bytes) {
    if (base_ == MAP_FAILED) throw std::bad_alloc();
  }
  Region(Region&& other) noexcept { *this = std::move(other); }
  Region& operator=(Region&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Region() {
    if (base_ != MAP_FAILED) munmap(base_, bytes_);
  }

  std::byte* at(std::size_t offset) const { return static_cast<std::byte*>(base_) + offset; }

  std::byte* open(std::size_t offset, std::size_t bytes, int protection) const {
    if (mprotect(at(offset), bytes, protection) != 0) throw std::bad_alloc();
    return at(offset);
  }
  std::byte* open_file(std::size_t offset, std::size_t bytes, int protection,
                       std::size_t file_offset) const {
    if (mmap(at(offset), bytes, protection, MAP_SHARED | MAP_FIXED, wire::memory_fd,
             static_cast<off_t>(file_offset)) == MAP_FAILED)
      throw std::bad_alloc();
    return at(offset);
  }

 private:
  void* base_ = MAP_FAILED;
  std::size_t bytes_ = 0;
};

// Memory that a candidate asks for, filled with 0xff before every call.
class Workspace {
 public:
  // Throws std::bad_alloc.
  std::byte* give(std::uint64_t wanted, bool start_aligned) {
    if (wanted > std::uint64_t{1} << 62) throw std::bad_alloc();
    const std::size_t bytes = (wanted + 63) / 64 * 64;
    if (bytes > capacity_) {
      region_ = Region();
      capacity_ = 0;
      const std::size_t capacity = (bytes + wire::page - 1) / wire::page * wire::page;
      region_ = Region(capacity + 2 * wire::guard);
      region_.open(wire::guard, capacity, PROT_READ | PROT_WRITE);
      capacity_ = capacity;
    }
    std::byte* data = region_.at(wire::guard + (start_aligned ? 0 : capacity_ - bytes));
    std::memset(data, 0xff, bytes);
    return data;
  }

 private:
  Region region_;
  std::size_t capacity_ = 0;
};

#if defined(__SANITIZE_ADDRESS__)
constexpr bool can_limit_memory = false;  // its shadow takes terabytes of addresses
#else
constexpr bool can_limit_memory = true;
#endif

std::uint64_t address_space_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// `bytes` more than is in use now; 0: no limit.
void limit_memory(std::uint64_t bytes) {
  if (!can_limit_memory || bytes == 0) return;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, address_space_bytes() + bytes);
  setrlimit(RLIMIT_AS, &limit);
}

template <std::size_t n>
void copy_text(std::array<char, n>& to, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  to[text.copy(to.data(), n - 1)] = '\0';
}

class Worker {
 public:
  explicit Worker(std::uint64_t memory_limit)
      : memory_limit_(memory_limit), control_(3 * wire::page + 2 * wire::page) {
    request_ = reinterpret_cast<const Request*>(
        control_.open_file(wire::page, wire::page, PROT_READ, wire::request_at));
    report_ = reinterpret_cast<Report*>(
        control_.open_file(3 * wire::page, wire::page, PROT_READ | PROT_WRITE, wire::report_at));
    watch_faults(*report_);
  }

  // In the process that only forks: a worker for every `start`, one at a time.
  int fork_workers() {
    struct sigaction action {};
    action.sa_handler = end_worker;
    sigaction(SIGTERM, &action, nullptr);
    for (char command = '\0'; hear(command);) {
      if (command != wire::start) continue;  // meant for a worker that was gone
      const pid_t caller = getpid();
      worker = fork();
      if (worker < 0) return 71;
      if (worker == 0) {
        std::signal(SIGTERM, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        return getppid() == caller ? serve() : 0;
      }
      int status = 0;
      while (waitpid(worker, &status, 0) < 0 && errno == EINTR) {
      }
      worker = 0;
      report_->wait_status = status;
      if (!answer(wire::ended)) return 0;
    }
    return 0;
  }

 private:
  static inline volatile pid_t worker = 0;
  static void end_worker(int) {
    if (worker > 0) kill(worker, SIGKILL);
  }

  int serve() {
    limit_memory(memory_limit_);
    try {
      object_.emplace(request_->path.data());
      report_->info = object_->info();
      report_->info.name = nullptr;
      copy_text(report_->name, object_->declaration().name);
      report_->loaded = floating_point();
      report_->state = wire::State::ready;
    } catch (const std::exception& error) {
      copy_text(report_->text, error.what());
      report_->state = wire::State::refused;
    }
    for (char command = '\0'; answer(wire::done) && hear(command);) {
      if (command == wire::map_slots)
        map_slots();
      else
        call();
    }
    return 0;
  }

  static bool answer(wire::Answer answer) {
    return send(wire::socket_fd, &answer, 1, MSG_NOSIGNAL) == 1;
  }

  static bool hear(char& command) {
    for (;;) {
      const ssize_t got = recv(wire::socket_fd, &command, 1, 0);
      if (got == 1) return true;
      if (got == 0 || errno != EINTR) return false;
    }
  }

  void map_slots() {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
    slots_ = Region();
    std::size_t bytes = wire::guard;
    for (const std::uint64_t capacity : request_->capacity) bytes += capacity + wire::guard;
    slots_ = Region(bytes);
    std::size_t offset = wire::guard, file_offset = wire::slots_at;
    for (std::size_t slot = 0; slot < wire::slot_count; ++slot) {
      const std::size_t capacity = request_->capacity[slot];
      const int protection = slot < wire::first_writable ? PROT_READ : PROT_READ | PROT_WRITE;
      std::byte* data = slots_.open_file(offset, capacity, protection, file_offset);
      report_->address[slot] = reinterpret_cast<std::uint64_t>(data);
      offset += capacity + wire::guard;
      file_offset += capacity;
    }
    limit_memory(memory_limit_);
  }

  void call() {
    Report& r = *report_;
    reset_floating_point();
    errno = 0;
    try {
      r.workspace_bytes = object_->workspace(request_->problem);
      std::byte* workspace = nullptr;
      if (r.workspace_bytes > 0) try {
          workspace = workspace_.give(r.workspace_bytes, request_->start_aligned);
        } catch (const std::bad_alloc&) {
          r.ended = wire::Ended::no_memory_for_workspace;
          return;
        }
      r.workspace_address = reinterpret_cast<std::uint64_t>(workspace);
      errno = 0;
      r.code = object_->forward(request_->problem, request_->result, workspace);
      r.ended = wire::Ended::returned;
      r.no_memory = errno == ENOMEM;
    } catch (const std::exception& error) {
      r.ended = wire::Ended::threw;
      r.no_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
      copy_text(r.text, error.what());
    } catch (...) {
      r.ended = wire::Ended::threw;
      r.no_memory = false;
      copy_text(r.text, "something that is no std::exception");
    }
    r.called = floating_point();
    reset_floating_point();
  }

  std::uint64_t memory_limit_;
  Region control_;
  Region slots_;
  Workspace workspace_;
  std::optional<SharedObject> object_;
  const Request* request_ = nullptr;
  Report* report_ = nullptr;
};

}  // namespace

int worker_program(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1 || lseek(wire::memory_fd, 0, SEEK_CUR) < 0) {
    std::fputs("attest: candidate-worker is for attest's own use\n", stderr);
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  try {
    return Worker(std::stoull(arguments[0])).fork_workers();
  } catch (const std::exception&) {
    return 70;
  }
}

}  // namespace attest::candidates
