#include "front/shmem/streams.hpp"

#include <pthread.h>

#include <atomic>
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

#include "front/shmem/rma.hpp"
#include "front/shmem/signal.hpp"
#include "front/shmem/stream_driver.hpp"
#include "front/shmem/sync.hpp"

namespace gondwana::shmem {
namespace {

void require(int code, CallName call, const char* what) {
  if (code == 0) return;
  give_up(call,
          fmt::format("{}: error {} of {}; is the stream one of the current device or context?",
                      what, code, stream_driver()->name()));
}

// The work of one stream, in its order. When the stream comes to it, a callback hands it to a
// thread of ours, since callbacks of drivers may not wait for peers. The stream goes on when a word
// has the number of the work.
class StreamQueue {
 public:
  StreamQueue(void* stream, CallName call) : stream_(stream) {
    void* word = nullptr;
    require(driver_.make_word(word, done_on_device_), call, "memory that streams wait for");
    done_ = new (word) std::atomic<std::uint32_t>(0);
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // the program's handlers run in its threads
    worker_ = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;
  ~StreamQueue() {
    quiet();
    {
      const std::scoped_lock lock(mutex_);
      ends_ = true;
    }
    has_work_.notify_one();
    worker_.join();
  }

  // All work until now is done.
  void quiet() {
    std::unique_lock lock(mutex_);
    const std::uint32_t last = issued_;
    is_done_.wait(lock, [&] { return static_cast<std::int32_t>(done_->load() - last) >= 0; });
  }

  void add(CallName call, std::function<void()> work) {
    const std::scoped_lock order(order_);
    std::uint32_t number = 0;
    {
      const std::scoped_lock lock(mutex_);
      number = ++issued_;
    }
    auto* item = new Item{*this, std::move(work), number};
    require(driver_.launch_host_function(stream_, &hand_over, item), call,
            "to put a function behind the stream");
    require(driver_.wait_for_word(stream_, done_on_device_, number), call,
            "to let the stream wait");
  }

 private:
  struct Item {
    StreamQueue& queue;
    std::function<void()> work;
    std::uint32_t number;
  };

  // A callback of the driver.
  static void hand_over(void* argument) {
    std::unique_ptr<Item> item(static_cast<Item*>(argument));
    StreamQueue& queue = item->queue;
    // Under the lock: the queue may end as soon as the work is done.
    const std::scoped_lock lock(queue.mutex_);
    queue.ready_.push_back(std::move(item));
    queue.has_work_.notify_one();
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      has_work_.wait(lock, [this] { return !ready_.empty() || ends_; });
      if (ready_.empty()) return;
      const std::unique_ptr<Item> item = std::move(ready_.front());
      ready_.pop_front();
      lock.unlock();
      item->work();
      lock.lock();
      done_->store(item->number, std::memory_order_release);  // pairs with the stream's wait
      is_done_.notify_all();
    }
  }

  const StreamDriver& driver_ = *stream_driver();
  void* stream_;
  std::mutex order_;  // calls of several threads reach the stream in the order of their numbers
  // The number of the last work that is done. Never freed: the stream may still have to look.
  std::atomic<std::uint32_t>* done_ = nullptr;
  std::uint64_t done_on_device_ = 0;  // the same word, as the stream addresses it

  std::mutex mutex_;  // guards what follows
  std::condition_variable has_work_;
  std::condition_variable is_done_;
  std::deque<std::unique_ptr<Item>> ready_;
  std::uint32_t issued_ = 0;
  bool ends_ = false;
  std::thread worker_;
};

// cudaStreamPerThread and hipStreamPerThread are another stream in each thread.
using StreamName = std::pair<void*, std::thread::id>;

StreamName name_of(void* stream) {
  constexpr std::uintptr_t per_thread = 2;
  const bool is_of_thread = reinterpret_cast<std::uintptr_t>(stream) == per_thread;
  return {stream, is_of_thread ? std::this_thread::get_id() : std::thread::id()};
}

struct Queues {
  std::mutex mutex;                                              // guards what follows
  std::map<StreamName, std::unique_ptr<StreamQueue>> by_stream;  // they stay until the end
};

// Of the process, as streams are.
Queues& queues() {
  static Queues& instance = *new Queues;  // never destroyed: work may be left at exit
  return instance;
}

StreamQueue& queue_of(const Caller& caller, void* stream) {
  if (caller.engine.threads() != Threads::many)
    give_up(caller.name,
            "a thread of the library does the work of streams; ask shmem_init_thread for "
            "SHMEM_THREAD_MULTIPLE");
  const std::scoped_lock lock(queues().mutex);
  std::unique_ptr<StreamQueue>& queue = queues().by_stream[name_of(stream)];
  if (queue != nullptr) return *queue;
  caller.engine.kinds().open_used();
  queue = std::make_unique<StreamQueue>(stream, caller.name);
  return *queue;
}

// Those that need not be made: 0, cudaStreamLegacy and cudaStreamPerThread, or those of HIP.
bool is_always_there(void* stream) {
  return reinterpret_cast<std::uintptr_t>(stream) <= 2;
}

// Whether a call is to be done at once. Ends the job where it can be done in no way.
bool is_done_at_once(const Caller& caller, void* stream) {
  if (stream_driver() != nullptr) return false;
  if (!is_always_there(stream))
    give_up(
        caller.name,
        "a stream in a process without a device of CUDA or ROCm; stream 0 is always there, and its "
        "work is done at once");
  return true;
}

// `work` gets the caller again: the lane is for any thread.
template <typename Work>
void on_stream(const Caller& caller, void* stream, Work work) {
  if (is_done_at_once(caller, stream)) return work(caller);
  queue_of(caller, stream).add(caller.name, [caller, work] { work(caller); });
}

}  // namespace

bool streams_have_work() {
  return stream_driver() != nullptr;
}

void quiet_streams() {
  std::vector<StreamQueue*> all;
  {
    const std::scoped_lock lock(queues().mutex);
    for (const auto& [name, queue] : queues().by_stream) all.push_back(queue.get());
  }
  for (StreamQueue* queue : all) queue->quiet();
}

void end_streams() {
  const std::scoped_lock lock(queues().mutex);
  queues().by_stream.clear();
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
