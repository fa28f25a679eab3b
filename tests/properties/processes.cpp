// Batches in several processes. RapidCheck is not thread-safe, and a process that dies takes one
// case with it instead of the run.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>
#include <system_error>

#include <poll.h>

#include "attention/error.h"
#include "tests/properties/batch.h"

namespace attest::properties {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int most_properties = 256;
constexpr int most_jobs = 256;

// What the processes share. Atomics of address-free types in memory mapped before forking.
struct Board {
  std::atomic<std::int64_t> next{0};
  // The first failing batch of each property so far; later ones need not run.
  std::atomic<std::int64_t> first_failure[most_properties];
  // What each job is at, for the case that it dies there.
  struct At {
    std::atomic<std::int64_t> batch{-1};
    std::atomic<std::int64_t> index{-1};
  } at[most_jobs];
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

[[noreturn]] void fail_system(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class SharedBoard {
 public:
  SharedBoard() {
    void* memory =
        mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail_system("mmap");
    board_ = new (memory) Board;
    for (auto& first : board_->first_failure) first = INT64_MAX;
  }
  ~SharedBoard() { munmap(board_, sizeof(Board)); }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;

  Board& operator*() const { return *board_; }

 private:
  Board* board_;
};

// A result as lines; reasons and labels hold no line breaks.
std::string encode(std::int64_t n, const BatchResult& r) {
  std::ostringstream text;
  text.precision(17);
  text << std::hexfloat;
  text << n << ' ' << r.cases << ' ' << r.unjudged_cases << ' ' << r.unsupported_cases << ' '
       << r.numbers << ' ' << r.unjudged_numbers << ' ' << r.worst << ' ' << r.worst_index << ' '
       << r.failing_index << ' ' << r.labels.size() << '\n'
       << r.unsupported_reason << '\n';
  for (const auto& [label, count] : r.labels) text << count << ' ' << label << '\n';
  return text.str();
}

// Takes one whole result off the front of `text`; false where it is not all there yet.
bool decode(std::string& text, std::int64_t& n, BatchResult& r) {
  std::istringstream in(text);
  std::string line, worst;
  std::size_t labels = 0;
  if (!std::getline(in, line) || in.eof()) return false;
  std::istringstream head(line);
  head >> n >> r.cases >> r.unjudged_cases >> r.unsupported_cases >> r.numbers >>
      r.unjudged_numbers >> worst >> r.worst_index >> r.failing_index >> labels;
  r.worst = std::strtod(worst.c_str(), nullptr);
  if (!std::getline(in, r.unsupported_reason) || in.eof()) return false;
  for (std::size_t k = 0; k < labels; ++k) {
    if (!std::getline(in, line) || in.eof()) return false;
    const std::size_t space = line.find(' ');
    r.labels[line.substr(space + 1)] = std::stoll(line.substr(0, space));
  }
  text.erase(0, static_cast<std::size_t>(in.tellg()));
  return true;
}

void write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(descriptor, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) _exit(71);
    done += static_cast<std::size_t>(wrote);
  }
}

class Pool {
 public:
  Pool(const MakeCandidate& make, const RunPlan& plan) : make_(make), plan_(plan), batches_(plan) {
    if (plan.properties.size() > most_properties || plan.jobs > most_jobs)
      throw InputError("--jobs", std::to_string(plan.jobs), "1 to 256");
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(plan.budget_seconds));
  }

  void run(const std::function<void(std::int64_t, BatchResult)>& give) {
    for (int job = 0; job < plan_.jobs; ++job) start(job);
    std::int64_t done = 0;
    while (alive() > 0) {
      std::vector<pollfd> waits;
      for (const Worker& w : workers_)
        if (w.descriptor >= 0) waits.push_back({w.descriptor, POLLIN, 0});
      if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) fail_system("poll");
      for (Worker& w : workers_) {
        if (w.descriptor < 0) continue;
        for (const pollfd& wait : waits)
          if (wait.fd == w.descriptor && wait.revents != 0) receive(w, give, done);
      }
    }
  }

 private:
  struct Worker {
    int job = 0;
    pid_t process = -1;
    int descriptor = -1;
    std::string text{};
  };

  std::int64_t alive() const {
    std::int64_t n = 0;
    for (const Worker& w : workers_) n += w.descriptor >= 0;
    return n;
  }

  void start(int job) {
    int ends[2];
    if (pipe(ends) != 0) fail_system("pipe");
    const pid_t process = fork();
    if (process < 0) fail_system("fork");
    if (process == 0) {
      close(ends[0]);
      for (const Worker& w : workers_)
        if (w.descriptor >= 0) close(w.descriptor);
      work(job, ends[1]);
    }
    close(ends[1]);
    Worker worker{.job = job, .process = process, .descriptor = ends[0]};
    for (Worker& w : workers_)
      if (w.job == job) {
        w = worker;
        return;
      }
    workers_.push_back(std::move(worker));
  }

  [[noreturn]] void work(int job, int out) {
    Board& board = *board_;
    try {
      for (;;) {
        if (plan_.budget_seconds > 0 && Clock::now() >= deadline_) _exit(0);
        const std::int64_t n = board.next++;
        if (plan_.budget_seconds <= 0 && n >= batches_.count()) _exit(0);
        const Batch batch = batches_.at(n);
        std::atomic<std::int64_t>& first = board.first_failure[batch.property];
        if (n > first) {
          if (all_failed()) _exit(0);
          continue;
        }
        board.at[job].batch = n;
        const BatchResult result = run_batch(
            make_, plan_, batch, [&](std::int64_t index) { board.at[job].index = index; });
        if (result.failing_index >= 0) lower(first, n);
        write_all(out, encode(n, result));
        board.at[job].batch = -1;
      }
    } catch (const std::exception& error) {
      write_all(STDERR_FILENO, std::string("attest: ") + error.what() + '\n');
      _exit(70);
    }
  }

  bool all_failed() const {
    for (std::size_t n = 0; n < plan_.properties.size(); ++n)
      if ((*board_).first_failure[n] == INT64_MAX) return false;
    return true;
  }

  static void lower(std::atomic<std::int64_t>& value, std::int64_t n) {
    for (std::int64_t old = value; n < old && !value.compare_exchange_weak(old, n);) {
    }
  }

  void receive(Worker& w, const std::function<void(std::int64_t, BatchResult)>& give,
               std::int64_t& done) {
    char buffer[65536];
    const ssize_t got = read(w.descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) return;
    if (got > 0) {
      w.text.append(buffer, static_cast<std::size_t>(got));
      std::int64_t n = 0;
      for (BatchResult result; decode(w.text, n, result); result = {}) {
        done += result.cases;
        give(n, std::move(result));
        if (plan_.progress)
          plan_.progress(done,
                         plan_.budget_seconds > 0 ? 0 : plan_.cases * std::ssize(plan_.properties));
      }
      return;
    }
    close(w.descriptor);
    w.descriptor = -1;
    int status = 0;
    while (waitpid(w.process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 70)
      throw std::runtime_error("a worker process ended with an error");
    bury(w, status, give);
    start(w.job);
  }

  // The case that a dead process was at is that batch's failure.
  void bury(const Worker& w, int status,
            const std::function<void(std::int64_t, BatchResult)>& give) {
    Board& board = *board_;
    const std::int64_t n = board.at[w.job].batch.exchange(-1);
    if (n < 0) throw std::runtime_error("a worker process died before its first case");
    const Batch batch = batches_.at(n);
    BatchResult result;
    result.failing_index = board.at[w.job].index;
    result.cases = result.failing_index - batch.first + 1;
    result.death = WIFSIGNALED(status) ? std::string("signal ") + std::to_string(WTERMSIG(status)) +
                                             " (" + strsignal(WTERMSIG(status)) + ")"
                                       : "exit status " + std::to_string(WEXITSTATUS(status));
    lower(board.first_failure[batch.property], n);
    give(n, std::move(result));
  }

  const MakeCandidate& make_;
  const RunPlan& plan_;
  Batches batches_;
  SharedBoard board_;
  std::vector<Worker> workers_;
  Clock::time_point deadline_;
};

}  // namespace

void run_in_processes(const MakeCandidate& make, const RunPlan& plan,
                      const std::function<void(std::int64_t, BatchResult)>& give) {
  Pool(make, plan).run(give);
}

}  // namespace attest::properties
