// The few calls of a driver that streams need: of CUDA's, or of ROCm's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gondwana::shmem {

// Calls return 0, or an error of the driver.
class StreamDriver {
 public:
  StreamDriver() = default;
  StreamDriver(const StreamDriver&) = delete;
  StreamDriver& operator=(const StreamDriver&) = delete;
  virtual ~StreamDriver() = default;

  virtual const char* name() const = 0;
  virtual int launch_host_function(void* stream, void (*function)(void*), void* argument) const = 0;
  // A word of 4 bytes that streams can wait for, and its address for them. It is never freed.
  virtual int make_word(void*& word, std::uint64_t& on_device) const = 0;
  // The stream goes on when the word is at least the value.
  virtual int wait_for_word(void* stream, std::uint64_t on_device, std::uint32_t value) const = 0;

  // An event, which is never destroyed. record() puts it behind the work of the stream, and may be
  // called again. query() tells when that work is done, also if the stream is destroyed by then.
  static constexpr int not_ready = 600;  // of query(), in both
  // Of query() while another thread captures a stream; these errors say nothing of the event.
  static constexpr bool is_of_capture(int error) { return error >= 900 && error <= 908; }
  virtual int make_event(void*& event) const = 0;
  virtual int record(void* event, void* stream) const = 0;
  virtual int query(void* event) const = 0;
  // Whether the work of the stream becomes a graph.
  virtual bool is_captured(void* stream) const = 0;
  virtual std::string name_of_error(int status) const = 0;
};

// Null: this process has no device of either, or its program has not loaded the driver yet. Only
// what was found is remembered.
const StreamDriver* stream_driver();

}  // namespace gondwana::shmem
