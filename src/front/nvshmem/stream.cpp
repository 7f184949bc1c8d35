#include "front/nvshmem/stream.hpp"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "front/nvshmem/driver.hpp"
#include "front/nvshmem/say.hpp"
#include "shmem.h"

namespace gondwana::nvshmem {
namespace {

void require(int code, const char* call, const char* what) {
  if (code == 0) return;
  give_up(call, std::string(what) + ": error " + std::to_string(code) +
                    " of CUDA; is the stream one of the current context?");
}

// The work of one stream, in its order. When the stream comes to it, a callback hands it to a
// thread of ours, since callbacks of CUDA may not wait for peers. The stream goes on when a word
// has the number of the work.
class StreamQueue {
 public:
  StreamQueue(cudaStream_t stream, const char* call) : stream_(stream) {
    void* word = nullptr;
    require(driver()->allocate_host(&word, sizeof(std::uint32_t), portable), call,
            "cuMemHostAlloc");
    done_ = new (word) std::atomic<std::uint32_t>(0);
    require(driver()->device_pointer(&done_on_device_, word, 0), call, "cuMemHostGetDevicePointer");
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
    {
      std::unique_lock lock(mutex_);
      is_done_.wait(lock, [this] { return done_->load() == issued_; });
      ends_ = true;
    }
    has_work_.notify_one();
    worker_.join();
  }

  void add(const char* call, std::unique_ptr<Work> work) {
    const std::scoped_lock order(order_);
    put_behind(call, std::move(work));
  }
  void add_and_wait(const char* call, Work& work) {
    std::uint32_t number = 0;
    {
      const std::scoped_lock order(order_);
      number = put_behind(call, std::make_unique<Borrowed>(work));
    }
    std::unique_lock lock(mutex_);
    is_done_.wait(lock, [&] { return static_cast<std::int32_t>(done_->load() - number) >= 0; });
  }

 private:
  static constexpr unsigned portable = 1;  // CU_MEMHOSTALLOC_PORTABLE
  static constexpr unsigned at_least = 0;  // CU_STREAM_WAIT_VALUE_GEQ

  class Borrowed final : public Work {
   public:
    explicit Borrowed(Work& work) : work_(work) {}
    void run() override { work_.run(); }

   private:
    Work& work_;
  };
  struct Item {
    StreamQueue& queue;
    std::unique_ptr<Work> work;
    std::uint32_t number;
  };

  std::uint32_t put_behind(const char* call, std::unique_ptr<Work> work) {
    std::uint32_t number = 0;
    {
      const std::scoped_lock lock(mutex_);
      number = ++issued_;
    }
    require(driver()->launch_host_function(stream_, &hand_over,
                                           new Item{*this, std::move(work), number}),
            call, "cuLaunchHostFunc");
    require(driver()->wait_value(stream_, done_on_device_, number, at_least), call,
            "cuStreamWaitValue32");
    return number;
  }

  // A callback of CUDA.
  static void hand_over(void* argument) {
    std::unique_ptr<Item> item(static_cast<Item*>(argument));
    StreamQueue& queue = item->queue;
    {
      const std::scoped_lock lock(queue.mutex_);
      queue.ready_.push_back(std::move(item));
    }
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
      item->work->run();
      lock.lock();
      done_->store(item->number, std::memory_order_release);  // pairs with the stream's wait
      is_done_.notify_all();
    }
  }

  cudaStream_t stream_;
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

struct Queues {
  std::mutex mutex;  // guards what follows
  std::map<cudaStream_t, std::unique_ptr<StreamQueue>> by_stream;
};

Queues& queues() {
  static Queues& instance = *new Queues;  // never destroyed: work may be left at exit
  return instance;
}

StreamQueue& queue_of(cudaStream_t stream, const char* call) {
  int level = SHMEM_THREAD_SINGLE;
  shmem_query_thread(&level);
  if (level != SHMEM_THREAD_MULTIPLE)
    give_up(call,
            "work behind a stream needs SHMEM_THREAD_MULTIPLE; let the program load CUDA and call "
            "nvshmem_init before shmem_init, or call shmem_init_thread");
  const std::scoped_lock lock(queues().mutex);
  std::unique_ptr<StreamQueue>& queue = queues().by_stream[stream];
  if (queue == nullptr) queue = std::make_unique<StreamQueue>(stream, call);
  return *queue;
}

// Those that need not be made: 0, cudaStreamLegacy and cudaStreamPerThread.
bool is_always_there(cudaStream_t stream) {
  return reinterpret_cast<std::uintptr_t>(stream) <= 2;
}

}  // namespace

bool streams_have_work() {
  return driver() != nullptr;
}

bool is_done_at_once(cudaStream_t stream, const char* call) {
  if (driver() != nullptr) return false;
  if (!is_always_there(stream))
    give_up(call,
            "a stream in a process that has not loaded CUDA's driver (libcuda.so.1); stream 0 "
            "is always there, and its work is done at once");
  return true;
}

void enqueue(cudaStream_t stream, const char* call, std::unique_ptr<Work> work) {
  queue_of(stream, call).add(call, std::move(work));
}

void enqueue_and_wait(cudaStream_t stream, const char* call, Work& work) {
  queue_of(stream, call).add_and_wait(call, work);
}

void end_streams() {
  const std::scoped_lock lock(queues().mutex);
  queues().by_stream.clear();
}

}  // namespace gondwana::nvshmem
