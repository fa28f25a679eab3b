#include "tests/candidates/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "tests/candidates/abi_call.h"
#include "tests/candidates/fault.h"
#include "tests/candidates/shared_object.h"
#include "tests/candidates/worker_process.h"

namespace attest::candidates {
namespace {

using properties::Status;
using Reply = WorkerProcess::Reply;

constexpr double load_seconds = 60;
// Bytes beside a buffer that are filled before a call and looked at after it.
constexpr std::uint64_t margin = 256;
constexpr int filler = 0xff;  // a NaN in every type

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30, mib = 1 << 20;
  if (bytes >= gib && bytes % gib == 0) return fmt::format("{} GiB", bytes / gib);
  if (bytes >= mib && bytes % mib == 0) return fmt::format("{} MiB", bytes / mib);
  return fmt::format("{} bytes", bytes);
}

// A buffer of a call: where it lies here, and where in its slot.
struct Buffer {
  wire::Slot slot;
  const void* lowest;  // of the caller's
  std::uint64_t bytes;
  std::uint64_t origin;  // bytes from the lowest element to element (0, 0, 0, 0)
  std::uint64_t element_bytes;
  std::uint64_t offset = 0;  // of its lowest byte, in the slot
};

// The span of memory that a tensor's elements reach.
Buffer buffer_of(wire::Slot slot, const attest_tensor& t) {
  std::int64_t lowest = 0, highest = 0;
  for (int axis = 0; axis < 4; ++axis) {
    const std::int64_t reach = (t.shape[axis] - 1) * t.strides[axis];
    (reach < 0 ? lowest : highest) += reach;
  }
  const std::int64_t size = t.dtype.bits / 8;
  return {.slot = slot,
          .lowest = static_cast<const std::byte*>(t.data) + lowest * size,
          .bytes = static_cast<std::uint64_t>((highest - lowest + 1) * size),
          .origin = static_cast<std::uint64_t>(-lowest * size),
          .element_bytes = static_cast<std::uint64_t>(size)};
}

std::vector<Buffer> buffers_of(const attest_problem& p, const attest_result& r) {
  std::vector<Buffer> buffers;
  const auto tensor = [&](wire::Slot slot, const attest_tensor& t) {
    if (t.data != nullptr) buffers.push_back(buffer_of(slot, t));
  };
  const auto list = [&](wire::Slot slot, const void* data, std::int64_t count, std::size_t size) {
    if (data != nullptr)
      buffers.push_back({.slot = slot,
                         .lowest = data,
                         .bytes = static_cast<std::uint64_t>(count) * size,
                         .origin = 0,
                         .element_bytes = size});
  };
  tensor(wire::q, p.q);
  tensor(wire::k, p.k);
  tensor(wire::v, p.v);
  tensor(wire::allow, p.allow);
  tensor(wire::bias, p.bias);
  list(wire::key_lengths, p.key_lengths, p.q.shape[0], sizeof *p.key_lengths);
  list(wire::slopes, p.alibi_slopes, p.q.shape[1], p.accumulator.bits / 8u);
  list(wire::sinks, p.sinks, p.q.shape[1], p.accumulator.bits / 8u);
  tensor(wire::output, r.output);
  tensor(wire::lse, r.lse);
  tensor(wire::weights, r.weights);
  return buffers;
}

void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

// Names a buffer's place in the worker.
void set_place(wire::Slot slot, std::uint64_t address, attest_problem& p, attest_result& r) {
  switch (slot) {
    case wire::q:
      p.q.data = pointer(address);
      return;
    case wire::k:
      p.k.data = pointer(address);
      return;
    case wire::v:
      p.v.data = pointer(address);
      return;
    case wire::allow:
      p.allow.data = pointer(address);
      return;
    case wire::bias:
      p.bias.data = pointer(address);
      return;
    case wire::key_lengths:
      p.key_lengths = static_cast<const std::int64_t*>(pointer(address));
      return;
    case wire::slopes:
      p.alibi_slopes = pointer(address);
      return;
    case wire::sinks:
      p.sinks = pointer(address);
      return;
    case wire::output:
      r.output.data = pointer(address);
      return;
    case wire::lse:
      r.lse.data = pointer(address);
      return;
    case wire::weights:
      r.weights.data = pointer(address);
      return;
  }
}

// The same call has its buffers at the same end in every run: a found case replays. Three of four
// calls have them at the end, where the commoner fault shows.
bool start_aligned(const Buffer& q) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (std::uint64_t n = 0; n < std::min<std::uint64_t>(q.bytes, 64); ++n)
    hash = (hash ^ static_cast<const unsigned char*>(q.lowest)[n]) * 1099511628211u;
  return (hash >> 32) % 4 == 0;
}

// Holds the lock on a file that repetitions of late calls take; where it can't, goes without.
class Alone {
 public:
  explicit Alone(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_.number() >= 0) flock(file_.number(), LOCK_EX);
  }

 private:
  Descriptor file_;
};

// Processes that can fork a worker and have none, kept for the next candidate of this thread.
class IdleWorkers {
 public:
  std::unique_ptr<WorkerProcess> take(const std::string& program, std::uint64_t memory_bytes) {
    std::unique_ptr<WorkerProcess> found;
    for (Entry& entry : entries_)
      if (!found && entry.process && entry.process->mine() && entry.program == program &&
          entry.memory_bytes == memory_bytes)
        found = std::move(entry.process);
    std::erase_if(entries_, [](const Entry& e) { return !e.process || !e.process->mine(); });
    return found ? std::move(found) : std::make_unique<WorkerProcess>(program, memory_bytes);
  }

  void give(const std::string& program, std::uint64_t memory_bytes,
            std::unique_ptr<WorkerProcess> process) {
    if (entries_.size() < most) entries_.push_back({program, memory_bytes, std::move(process)});
  }

 private:
  static constexpr std::size_t most = 4;
  struct Entry {
    std::string program;
    std::uint64_t memory_bytes;
    std::unique_ptr<WorkerProcess> process;
  };
  std::vector<Entry> entries_;
};

IdleWorkers& idle_workers() {
  thread_local IdleWorkers idle;
  return idle;
}

// Whether a call of this very file did not return in both its attempts, in this thread.
bool& known_to_hang(const std::string& path) {
  thread_local std::map<std::string, bool> hangs;
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) file = {};
  return hangs[fmt::format("{} {} {} {} {}", path, file.st_dev, file.st_ino, file.st_mtim.tv_sec,
                           file.st_mtim.tv_nsec)];
}

// A worker process and the calls to it.
class Worker {
 public:
  Worker(const std::string& path, const WorkerOptions& options)
      : path_(path), options_(options), program_(options.program), hung_(known_to_hang(path)) {
    const char* named = std::getenv("ATTEST_WORKER");
    if (program_.empty()) program_ = named != nullptr ? named : "/proc/self/exe";
    start();
  }
  ~Worker() {
    if (!process_ || !process_->mine()) return;
    stop();
    if (process_) idle_workers().give(program_, options_.memory_bytes, std::move(process_));
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const attest_info& info() const { return info_; }
  properties::Declaration declaration() const {
    properties::Declaration d = declaration_of(info_);
    d.name = name_;
    return d;
  }

  Status forward(const AbiCall& call) {
    const double seconds = hung_ ? options_.seconds / 40 : options_.seconds;
    if (const auto status = attempt(call, seconds)) return *status;
    if (hung_) return failed(fmt::format("did not return within {} s", seconds));
    const Alone alone(path_);
    if (const auto status = attempt(call, 2 * seconds)) return *status;
    hung_ = true;
    return failed(fmt::format("did not return within {} s, nor in a second attempt of {} s",
                              seconds, 2 * seconds));
  }

 private:
  static Status failed(std::string reason) {
    return {.kind = Status::Kind::failed, .reason = std::move(reason)};
  }

  SharedMemory& memory() { return process_->memory(); }

  void start() {
    if (!process_) process_ = idle_workers().take(program_, options_.memory_bytes);
    wire::Request& request = memory().request();
    if (path_.size() >= request.path.size()) throw LoadError(path_.substr(0, 80), "path too long");
    request.path[path_.copy(request.path.data(), path_.size())] = '\0';
    wire::Report& report = memory().report();
    std::memset(static_cast<void*>(&report), 0, sizeof report);
    runs_ = true;
    mapped_ = false;
    switch (process_->start(load_seconds)) {
      case Reply::late:
        stop();
        throw LoadError(path_, fmt::format("loading it took more than {} s", load_seconds));
      case Reply::died: {
        const std::string how = death();
        stop();
        throw LoadError(path_, "loading it " + how);
      }
      case Reply::answered:
        break;
    }
    report.text.back() = report.name.back() = '\0';
    if (report.state != wire::State::ready) {
      const std::string text = report.text.data();
      stop();
      throw LoadError(path_, text.starts_with(path_ + ": ") ? text.substr(path_.size() + 2) : text);
    }
    info_ = report.info;
    info_.name = nullptr;
    name_ = report.name.data();
    loaded_ = report.loaded;
  }

  void stop() {
    runs_ = false;
    if (!process_->end()) process_.reset();
  }

  // Nothing where the time ran out.
  std::optional<Status> attempt(const AbiCall& call, double seconds) {
    if (!runs_) start();
    if (const std::string changed = describe(loaded_); !changed.empty())
      return failed("loading it turned " + changed + " (linked with -ffast-math?)");

    std::vector<Buffer> buffers = buffers_of(call.problem, call.result);
    std::array<std::uint64_t, wire::slot_count> wanted{};
    for (const Buffer& b : buffers) wanted[b.slot] = b.bytes + align(b);
    if (memory().reserve(wanted) || !mapped_) {
      if (process_->ask(wire::map_slots, load_seconds) != Reply::answered) {
        stop();
        return failed("no room for its tensors in a worker process");
      }
      mapped_ = true;
    }
    wire::Request& request = memory().request();
    request.start_aligned = start_aligned(buffers.front());
    request.problem = call.problem;
    request.result = call.result;
    for (Buffer& b : buffers) {
      place(b, request.start_aligned);
      set_place(b.slot, address(b) + b.origin, request.problem, request.result);
    }
    memory().report().fault = {};

    switch (process_->ask(wire::call, seconds)) {
      case Reply::late:
        stop();
        return {};
      case Reply::died: {
        Status broken = failed(death(buffers));
        stop();
        return broken;
      }
      case Reply::answered:
        break;
    }
    return receive(buffers);
  }

  std::uint64_t align(const Buffer& b) const {
    return std::max<std::uint64_t>(info_.alignment, b.element_bytes);
  }

  // Copies a buffer to its slot, with its margins filled.
  void place(Buffer& b, bool start) {
    std::byte* slot = memory().slot(b.slot);
    const std::uint64_t capacity = memory().capacity(b.slot);
    // Slots begin at multiples of a page, so offsets decide the origin's alignment.
    const std::uint64_t a = align(b);
    b.offset = start ? (a - b.origin % a) % a : (capacity - b.bytes + b.origin) / a * a - b.origin;
    std::memcpy(slot + b.offset, b.lowest, b.bytes);
    const auto [before, after] = margins(b);
    std::memset(slot + b.offset - before, filler, before);
    std::memset(slot + b.offset + b.bytes, filler, after);
  }

  std::uint64_t address(const Buffer& b) { return memory().report().address[b.slot] + b.offset; }

  std::pair<std::uint64_t, std::uint64_t> margins(const Buffer& b) {
    return {std::min(margin, b.offset),
            std::min(margin, memory().capacity(b.slot) - b.offset - b.bytes)};
  }

  Status receive(const std::vector<Buffer>& buffers) {
    wire::Report& report = memory().report();
    report.text.back() = '\0';
    switch (report.ended) {
      case wire::Ended::no_memory_for_workspace:
        return failed(fmt::format("asked for a workspace of {}{}",
                                  bytes_text(report.workspace_bytes), memory_note()));
      case wire::Ended::threw:
        return failed(
            fmt::format("threw {}{}", report.text.data(), report.no_memory ? memory_note() : ""));
      case wire::Ended::returned:
        break;
    }
    for (const Buffer& b : buffers)
      if (b.slot >= wire::first_writable)
        if (const std::string breach = breach_of(b); !breach.empty()) return failed(breach);
    if (const std::string changed = describe(report.called); !changed.empty())
      return failed("left the " + changed);
    Status status = abi_status(report.code);
    if (status.kind == Status::Kind::failed && report.no_memory) status.reason += memory_note();
    if (!status.done()) return status;
    for (const Buffer& b : buffers)
      if (b.slot >= wire::first_writable)
        std::memcpy(const_cast<void*>(b.lowest), memory().slot(b.slot) + b.offset, b.bytes);
    return status;
  }

  // What was written beside a result, on the side that has no guard.
  std::string breach_of(const Buffer& b) {
    const std::byte* begin = memory().slot(b.slot) + b.offset;
    const std::byte* end = begin + b.bytes;
    const auto [before, after] = margins(b);
    const auto touched = [](std::byte x) { return x != std::byte{filler}; };
    const std::byte* past = std::find_if(end, end + after, touched);
    if (past != end + after)
      return "wrote " + beyond(place_of(b), address(b) + static_cast<std::uint64_t>(past - begin));
    for (std::uint64_t distance = 1; distance <= before; ++distance)
      if (touched(*(begin - distance)))
        return "wrote " + beyond(place_of(b), address(b) - distance);
    return {};
  }

  Place place_of(const Buffer& b) {
    return {.name = wire::slot_names[b.slot],
            .writable = b.slot >= wire::first_writable,
            .begin = address(b),
            .end = address(b) + b.bytes,
            .element_bytes = b.element_bytes};
  }

  std::string memory_note() const {
    return options_.memory_bytes == 0
               ? "; memory ran out"
               : fmt::format("; memory ran out (limit {})", bytes_text(options_.memory_bytes));
  }

  // "crashed: read past the end of k by 1 element (SIGSEGV)"
  std::string death(std::span<const Buffer> buffers = {}) {
    const wire::Report& report = memory().report();
    const int status = report.wait_status;
    const wire::Fault fault = report.fault;
    if (WIFEXITED(status))
      return fmt::format("ended the process with exit status {}", WEXITSTATUS(status));
    if (fault.signal == 0 || fault.signal != WTERMSIG(status))
      return fmt::format("crashed ({})", signal_name(WTERMSIG(status)));
    std::vector<Place> places;
    for (const Buffer& b : buffers) places.push_back(place_of(b));
    if (!buffers.empty() && report.workspace_address != 0)
      places.push_back({.name = wire::slot_names.back(),
                        .writable = true,
                        .begin = report.workspace_address,
                        .end = report.workspace_address + report.workspace_bytes,
                        .element_bytes = 0});
    return "crashed: " + describe(fault, places) + (fault.no_memory ? memory_note() : "");
  }

  std::string path_;
  WorkerOptions options_;
  std::string program_;
  bool& hung_;
  std::unique_ptr<WorkerProcess> process_;
  bool runs_ = false;
  bool mapped_ = false;
  attest_info info_{};
  std::string name_;
  wire::FloatingPoint loaded_;
};

class InWorker : public properties::CandidateOf<InWorker> {
 public:
  explicit InWorker(std::unique_ptr<Worker> worker)
      : CandidateOf(worker->declaration()), worker_(std::move(worker)) {}

  template <class T>
  Status run(const Problem<T>& problem, const AttentionResult<T>& result, Tiles tiles) {
    Status status = worker_->forward(abi_call(problem, result, tiles, worker_->info()));
    if (status.done()) settle_lse(result, worker_->info());
    return status;
  }

 private:
  std::unique_ptr<Worker> worker_;
};

}  // namespace

std::unique_ptr<properties::Candidate> in_worker(const std::string& path,
                                                 const WorkerOptions& options) {
  return std::make_unique<InWorker>(std::make_unique<Worker>(path, options));
}

}  // namespace attest::candidates
