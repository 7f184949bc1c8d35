#include "front/shmem/streams.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/print_error.hpp"
#include "core/start_thread.hpp"
#include "front/shmem/rma.hpp"
#include "front/shmem/signal.hpp"
#include "front/shmem/stream_driver.hpp"
#include "front/shmem/sync.hpp"
#include "process/process.hpp"

namespace gondwana::shmem {
namespace {

void require(int code, CallName call, const char* what) {
  if (code == 0) return;
  give_up(call, fmt::format("{}: {}; is the stream of the current device or context?", what,
                            stream_driver()->name_of_error(code)));
}

// The queued calls of one stream, in order. When the stream reaches a call, a callback passes the
// call to a thread of the library, because driver callbacks must not wait for peers. The stream
// continues when a word reaches the number of the call. Three parties share the members: callers,
// callbacks and the thread.
class StreamQueue {
 public:
  StreamQueue(void* stream, CallName call) : stream_(stream) {
    const BesideCaptures waits(driver_);
    void* word = nullptr;
    require(driver_.make_word(word, done_on_device_), call,
            "cannot allocate the word for which streams wait");
    done_ = new (word) std::atomic<std::uint32_t>(0);
    require(driver_.make_event(after_all_), call, "an event");
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all,
                      &before);  // the program's signal handlers run in its own threads
    Result<std::thread> worker = start_thread("that makes calls for a stream", [this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!worker) give_up(call, worker.error().text);
    worker_ = *std::move(worker);
  }
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;
  // Call quiet() first.
  ~StreamQueue() {
    {
      const std::scoped_lock lock(mutex_);
      ends_ = true;
    }
    has_work_.notify_one();
    worker_.join();
  }

  // Returns when all calls queued so far are done. Ends the job if the stream will never reach one.
  void quiet(CallName call) {
    std::unique_lock lock(mutex_);
    const std::uint32_t last = issued_;
    const auto is_done = [&] { return static_cast<std::int32_t>(done_->load() - last) >= 0; };
    const auto begin = std::chrono::steady_clock::now();
    bool is_told = false;
    while (!is_done_.wait_for(lock, check_interval, is_done)) {
      lock.unlock();
      check_for_loss(call);
      if (!is_told && std::chrono::steady_clock::now() - begin > warning_delay)
        is_told = tell_of(call);
      lock.lock();
    }
  }

  void add(CallName call, std::function<void()> work) {
    const std::scoped_lock order(order_);
    std::uint32_t number = 0;
    {
      const std::scoped_lock lock(mutex_);
      number = ++issued_;
      not_begun_.push_back(call);
    }
    auto* item = new Item{*this, std::move(work), number};
    require(driver_.launch_host_function(stream_, &hand_over, item), call,
            "cannot add a function to the stream");
    require(driver_.wait_for_word(stream_, done_on_device_, number), call,
            "cannot make the stream wait");
    require(driver_.record(after_all_, stream_), call, "cannot add an event to the stream");
  }

 private:
  static constexpr std::chrono::milliseconds check_interval{50};
  static constexpr std::chrono::seconds warning_delay{5};

  struct Item {
    StreamQueue& queue;
    std::function<void()> work;
    std::uint32_t number;
  };

  // A callback of the driver.
  static void hand_over(void* argument) {
    std::unique_ptr<Item> item(static_cast<Item*>(argument));
    StreamQueue& queue = item->queue;
    // Under the lock, because the queue may be destroyed as soon as the call is done.
    const std::scoped_lock lock(queue.mutex_);
    queue.ready_.push_back(std::move(item));
    queue.not_begun_.pop_front();
    queue.has_work_.notify_one();
  }

  // A driver drops the callbacks of a context after an error. We query the event, because the
  // program may have destroyed the stream, whose calls are done nevertheless.
  void check_for_loss(CallName call) {
    const std::scoped_lock order(order_);  // keeps later work from following the event
    const int state = [this] {
      const BesideCaptures waits(driver_);
      return driver_.query(after_all_);
    }();
    if (state == StreamDriver::not_ready || StreamDriver::is_of_capture(state)) return;
    const std::scoped_lock lock(mutex_);
    if (not_begun_.empty()) return;
    give_up(call,
            fmt::format("{} will never run: {}", describe_left(),
                        state == 0 ? "the stream has no work left" : driver_.name_of_error(state)));
  }

  // Always true.
  bool tell_of(CallName call) {
    const std::scoped_lock lock(mutex_);
    if (not_begun_.empty()) return true;  // a call is running, and tools show its wait
    print_error(
        "gondwana: warning: rank {}: {}: waiting for {}: the stream is still busy with earlier "
        "work, such as a kernel that does not end\n",
        this_process().rank(), call, describe_left());
    return true;
  }

  // The caller holds the mutex.
  std::string describe_left() const {
    const std::size_t count = not_begun_.size();
    return fmt::format(
        "{} on stream {}",
        count == 1 ? not_begun_.front()
                   : fmt::format("{} calls, the first of them {},", count, not_begun_.front()),
        fmt::ptr(stream_));
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      has_work_.wait(lock, [this] { return !ready_.empty() || ends_; });
      if (ready_.empty()) return;
      const std::unique_ptr<Item> item = std::move(ready_.front());
      ready_.pop_front();
      lock.unlock();
      try {
        item->work();
      } catch (const HopelessWait& hopeless) {
        note_loss(hopeless);
      }
      lock.lock();
      done_->store(item->number, std::memory_order_release);  // pairs with the stream's wait
      is_done_.notify_all();
    }
  }

  const StreamDriver& driver_ = *stream_driver();
  void* stream_;
  std::mutex order_;  // calls of all threads reach the stream in the order of their numbers
  // The number of the last call that is done. Never freed, because the stream may still read it.
  std::atomic<std::uint32_t>* done_ = nullptr;
  std::uint64_t done_on_device_ = 0;  // the device address of the word
  void* after_all_ = nullptr;         // recorded after each call, by the thread that holds order_

  std::mutex mutex_;  // guards the members below
  std::condition_variable has_work_;
  std::condition_variable is_done_;
  std::deque<std::unique_ptr<Item>> ready_;
  std::uint32_t issued_ = 0;
  std::deque<CallName> not_begun_;  // calls that the stream has not reached
  bool ends_ = false;
  std::thread worker_;
};

// Each context has its own default streams, and cudaStreamPerThread and hipStreamPerThread name a
// different stream in each thread. A new stream may get the address of a destroyed one.
struct StreamName {
  void* stream;
  std::uintptr_t context;
  std::thread::id thread;

  auto operator<=>(const StreamName&) const = default;
};

StreamName name_of(void* stream) {
  constexpr std::uintptr_t per_thread = 2;
  const bool is_of_thread = reinterpret_cast<std::uintptr_t>(stream) == per_thread;
  return {stream, stream_driver()->context_of(stream),
          is_of_thread ? std::this_thread::get_id() : std::thread::id()};
}

struct Queues {
  std::mutex mutex;                                              // guards by_stream
  std::map<StreamName, std::unique_ptr<StreamQueue>> by_stream;  // kept until end_streams()
};

// One object per process, because streams belong to the process.
Queues& queues() {
  static Queues& instance = *new Queues;  // never destroyed: calls may be left at exit
  return instance;
}

StreamQueue& queue_of(const Caller& caller, void* stream) {
  if (caller.engine.threads() != Threads::many)
    give_up(caller.name,
            "a thread of the library runs the calls on streams; request SHMEM_THREAD_MULTIPLE from "
            "shmem_init_thread");
  const std::scoped_lock lock(queues().mutex);
  std::unique_ptr<StreamQueue>& queue = queues().by_stream[name_of(stream)];
  if (queue != nullptr) return *queue;
  caller.engine.kinds().open_used();
  queue = std::make_unique<StreamQueue>(stream, caller.name);
  return *queue;
}

// Whether to make the call at once, without a stream. Ends the job if `stream` cannot exist here.
bool is_done_at_once(const Caller& caller, void* stream) {
  if (stream_driver() != nullptr) return false;
  if (!StreamDriver::is_default(stream))
    give_up(caller.name,
            "this process has no CUDA or ROCm device, so only stream 0 exists, whose calls run at "
            "once");
  return true;
}

// Passes the caller to `work`, which may run in another thread: any thread may use the lane.
template <typename Work>
void on_stream(const Caller& caller, void* stream, Work work) {
  if (is_done_at_once(caller, stream)) return work(caller);
  require(stream_driver()->enter(stream), caller.name, "cannot use the context of the stream");
  // A graph would repeat the call with each launch.
  if (stream_driver()->is_captured(stream))
    give_up(caller.name,
            "the stream is being captured, and calls of this library cannot be part of a graph; "
            "end the capture first");
  queue_of(caller, stream).add(caller.name, [caller, work] { work(caller); });
}

}  // namespace

bool streams_have_work() {
  return stream_driver() != nullptr;
}

void quiet_streams(CallName call) {
  std::vector<StreamQueue*> all;
  {
    const std::scoped_lock lock(queues().mutex);
    for (const auto& [name, queue] : queues().by_stream) all.push_back(queue.get());
  }
  for (StreamQueue* queue : all) queue->quiet(call);
}

// A queued call may queue further calls.
void end_streams(CallName call) {
  for (bool is_over = false; !is_over;) {
    decltype(Queues::by_stream) ended;
    {
      const std::scoped_lock lock(queues().mutex);
      ended.swap(queues().by_stream);
    }
    for (const auto& [name, queue] : ended) queue->quiet(call);
    is_over = ended.empty();
  }
}

void call_on_stream(const Caller& caller, void (*call)(void*), void* argument, void* stream) {
  on_stream(caller, stream, [=](const Caller&) { call(argument); });
}

void put_on_stream(const Caller& caller, void* dest, const void* source, std::size_t bytes, int pe,
                   void* stream) {
  on_stream(caller, stream, [=](const Caller& by) { put<1>(by, dest, source, bytes, pe); });
}

void get_on_stream(const Caller& caller, void* dest, const void* source, std::size_t bytes, int pe,
                   void* stream) {
  on_stream(caller, stream, [=](const Caller& by) { get<1>(by, dest, source, bytes, pe); });
}

// NOLINTNEXTLINE(readability-function-size): as put_signal, and a stream
void put_signal_on_stream(const Caller& caller, void* dest, const void* source, std::size_t bytes,
                          std::uint64_t* word, std::uint64_t value, int op, int pe, void* stream) {
  on_stream(caller, stream,
            [=](const Caller& by) { put_signal<1>(by, dest, source, bytes, word, value, op, pe); });
}

void signal_wait_on_stream(const Caller& caller, std::uint64_t* word, int cmp, std::uint64_t value,
                           void* stream) {
  on_stream(caller, stream, [=](const Caller& by) { signal_wait_until(by, word, cmp, value); });
}

void barrier_on_stream(const Caller& caller, void* stream) {
  on_stream(caller, stream, [](const Caller& by) { barrier_all(by); });
}

}  // namespace gondwana::shmem
