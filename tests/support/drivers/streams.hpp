// Streams and events of replacement drivers. A copy is executed when the program waits for it:
// without a wait the bytes are not there.
#pragma once

#include <cstdint>
#include <deque>
#include <set>

#include "support/drivers/memory.hpp"

namespace standin {

struct Stream {
  struct Work {
    const char* call;
    void* to;
    const void* from;  // null: fill with `value`
    std::size_t size;
    unsigned char value;
  };

  int device;
  std::deque<Work> work = {};
  std::uint64_t begun = 0;
  std::uint64_t done = 0;
};

struct Event {
  Stream* stream = nullptr;  // the stream in which it was recorded
  std::uint64_t after = 0;
};

// A capture of a program's stream, as seen by calls of other threads. Callers hold lock().
class Capture {
 public:
  void begin() { is_on_ = true; }
  // Whether no call has ended it.
  bool end();
  // Which calls captures of other threads forbid in this thread; 2: none.
  static int exchange_mode(int mode);
  // The status of a call that may wait. If such calls are forbidden, it ends the capture.
  int check();

 private:
  bool is_on_ = false;
  bool is_ended_ = false;
};

Capture& capture();

// Callers hold lock(). Gives up if a stream or an event is not one of these.
class Streams {
 public:
  Stream* make_stream(int device);
  Stream* stream(const char* call, void* handle) const;
  void destroy_stream(const char* call, void* handle);
  Event* make_event();
  Event* event(const char* call, void* handle) const;
  void destroy_event(const char* call, void* handle);

  void begin(const char* call, void* stream, const Stream::Work& work) const;
  void record(const char* call, void* event, void* stream) const;
  void wait_for_stream(const char* call, void* stream) const;
  void wait_for_event(const char* call, void* event) const;
  // Executes one copy. Returns whether all copies before the event are complete.
  bool has_passed(const char* call, void* event) const;

  std::size_t left() const { return streams_.size() + events_.size(); }

 private:
  static void carry_out(Stream& stream, std::uint64_t until);

  std::set<void*> streams_;
  std::set<void*> events_;
};

Streams& streams();

}  // namespace standin
