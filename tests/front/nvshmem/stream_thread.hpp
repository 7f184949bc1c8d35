// Streams of replacement drivers. Each is a thread; callbacks of all streams run one at a time, so
// one that waits for another stream never ends.
#pragma once

#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace standin {

// The device of this thread; stream 0 means its default stream.
inline int& current_device() {
  static thread_local int device = 0;
  return device;
}

// The work of a stream up to the recording of the event.
struct Event {
  const int device = current_device();
  std::atomic<std::uint32_t> under_way{0};
  std::atomic<bool> is_lost{false};
};

// Lives until its work is done, even if it is destroyed before.
class Stream {
 public:
  Stream() : thread_([this] { run(); }) { thread_.detach(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void add(std::function<void()> work) {
    {
      const std::scoped_lock lock(mutex_);
      if (is_lost_) return;
      work_.push_back(std::move(work));
      ++added_;
    }
    changed_.notify_all();
  }
  int device() const { return device_; }
  // Returns false if the event is of another device.
  bool record(Event& event) {
    if (event.device != device_) return false;
    ++event.under_way;
    {
      const std::scoped_lock lock(mutex_);
      events_.push_back(&event);
      event.is_lost = is_lost_;
    }
    add([&event] { --event.under_way; });
    return true;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, until = added_] { return done_ >= until || is_lost_; });
  }
  void destroy() {
    add([this] { ends_ = true; });
  }
  // As after an error in its context: work that has not begun never begins.
  void lose() {
    const std::scoped_lock lock(mutex_);
    is_lost_ = true;
    work_.clear();
    for (Event* event : events_) event->is_lost = true;
    changed_.notify_all();
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
    lock.unlock();
    delete this;
  }

  int device_ = current_device();
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  std::deque<Event*> events_;  // kept until the stream ends
  std::uint64_t added_ = 0;
  std::uint64_t done_ = 0;
  bool is_lost_ = false;
  bool ends_ = false;
  std::thread thread_;
};

inline std::mutex& callbacks() {
  static std::mutex one;
  return one;
}

// The stream that becomes a graph, or no stream.
inline std::atomic<void*>& captured() {
  static std::atomic<void*> stream = &stream;
  return stream;
}

// Which calls captures of other threads allow in this thread: all if it is 2.
inline int& capture_mode() {
  static thread_local int mode = 0;
  return mode;
}

// Whether a call that may wait has ended the capture.
inline std::atomic<bool>& is_spoiled() {
  static std::atomic<bool> is = false;
  return is;
}

inline bool may_wait() {
  const bool may = captured() == &captured() || capture_mode() == 2;
  if (!may) is_spoiled() = true;
  return may;
}

inline std::mutex& table_mutex() {
  static std::mutex one;
  return one;
}

// Keeps objects until the process ends, like a driver, even if the program does not destroy them.
template <typename Made>
Made* kept(Made* made) {
  static auto& all = *new std::vector<void*>;
  const std::scoped_lock lock(table_mutex());
  all.push_back(made);
  return made;
}

// Stream 0 exists from its first use on a device until the process ends.
inline Stream* find(void* handle) {
  static auto& known = *new std::map<int, Stream*>;
  const std::scoped_lock lock(table_mutex());
  if (handle != nullptr) return static_cast<Stream*>(handle);
  Stream*& stream = known[current_device()];
  if (stream == nullptr) stream = new Stream;
  return stream;
}

inline void launch(void* stream, void (*function)(void*), void* argument) {
  find(stream)->add([=] {
    const std::scoped_lock one_at_a_time(callbacks());
    function(argument);
  });
}

inline void wait_for_word(void* stream, const void* address, std::uint32_t value) {
  const auto& word = *static_cast<const std::atomic<std::uint32_t>*>(address);
  find(stream)->add([&word, value] {
    while (static_cast<std::int32_t>(word.load() - value) < 0) ::sched_yield();
  });
}

}  // namespace standin
