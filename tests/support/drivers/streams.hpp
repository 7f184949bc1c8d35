// Streams and events of stand-in drivers. A copy is carried out when the program waits for it:
// without that it is not there.
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
  Stream* stream = nullptr;  // where it was recorded
  std::uint64_t after = 0;
};

// A capture of a stream of the program, as calls of other threads see it. Callers hold lock().
class Capture {
 public:
  void begin() { is_on_ = true; }
  // Whether no call has ended it.
  bool end();
  // What the thread lets captures of others forbid; 2: nothing.
  static int exchange_mode(int mode);
  // The status of a call that may wait. It ends the capture where it is forbidden.
  int check();

 private:
  bool is_on_ = false;
  bool is_ended_ = false;
};

Capture& capture();

// Callers hold lock(). Gives up where a stream or an event is none of its own.
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
  // Carries out one copy. Whether all before the event are.
  bool has_passed(const char* call, void* event) const;

  std::size_t left() const { return streams_.size() + events_.size(); }

 private:
  static void carry_out(Stream& stream, std::uint64_t until);

  std::set<void*> streams_;
  std::set<void*> events_;
};

Streams& streams();

}  // namespace standin
