// A libcuda.so.1 that has streams and nothing else. Each is a thread; callbacks of all streams come
// one at a time, so one that waits for another stream never ends.
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace {

enum Status : int { success = 0, invalid_context = 201, invalid_handle = 400 };

class Stream {
 public:
  Stream() : thread_([this] { run(); }) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    add([this] { ends_ = true; });
    thread_.join();
  }

  void add(std::function<void()> work) {
    {
      const std::scoped_lock lock(mutex_);
      work_.push_back(std::move(work));
      ++added_;
    }
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, until = added_] { return done_ >= until; });
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
      changed_.wait(lock, [this] { return !work_.empty(); });
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
      lock.lock();
      ++done_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  std::uint64_t added_ = 0;
  std::uint64_t done_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

std::mutex& callbacks() {
  static std::mutex one;
  return one;
}

std::mutex& table_mutex() {
  static std::mutex one;
  return one;
}

// Stream 0 is there from its first use to the end of the process.
Stream* find(void* handle) {
  static auto& known = *new std::map<void*, Stream*>;
  const std::scoped_lock lock(table_mutex());
  if (handle != nullptr) return static_cast<Stream*>(handle);
  Stream*& stream = known[handle];
  if (stream == nullptr) stream = new Stream;
  return stream;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): CUDA chose the names
extern "C" {

int cuInit(unsigned /*flags*/) {
  return success;
}
int cuCtxGetDevice(int* /*device*/) {
  return invalid_context;
}
int cuStreamCreate(void** stream, unsigned /*flags*/) {
  *stream = new Stream;
  return success;
}
int cuStreamSynchronize(void* stream) {
  find(stream)->wait();
  return success;
}
int cuStreamDestroy_v2(void* stream) {
  delete static_cast<Stream*>(stream);
  return success;
}
int cuLaunchHostFunc(void* stream, void (*function)(void*), void* argument) {
  find(stream)->add([=] {
    const std::scoped_lock one_at_a_time(callbacks());
    function(argument);
  });
  return success;
}
int cuStreamWaitValue32_v2(void* stream, std::uint64_t address, std::uint32_t value,
                           unsigned flags) {
  if (flags != 0) return invalid_handle;
  const auto& word = *reinterpret_cast<const std::atomic<std::uint32_t>*>(address);
  find(stream)->add([&word, value] {
    while (static_cast<std::int32_t>(word.load() - value) < 0) ::sched_yield();
  });
  return success;
}
int cuMemHostAlloc(void** address, std::size_t size, unsigned /*flags*/) {
  *address = std::calloc(1, size);
  return success;
}
int cuMemHostGetDevicePointer_v2(std::uint64_t* address, void* host, unsigned /*flags*/) {
  *address = reinterpret_cast<std::uint64_t>(host);
  return success;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
