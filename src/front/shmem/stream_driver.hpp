// The few driver calls that streams need, for CUDA and ROCm.
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
  // A word of 4 bytes for which streams can wait, and its device address. It is never freed.
  virtual int make_word(void*& word, std::uint64_t& on_device) const = 0;
  // The stream continues when the word is at least `value`.
  virtual int wait_for_word(void* stream, std::uint64_t on_device, std::uint32_t value) const = 0;

  // An event, which is never destroyed. record() queues it after the present work of the stream,
  // and may be called again. query() tells whether that work is done, even if the stream has been
  // destroyed.
  static constexpr int not_ready = 600;  // result of query() for both vendors
  // Result of query() while another thread captures a stream. It says nothing about the event.
  static constexpr bool is_of_capture(int error) { return error >= 900 && error <= 908; }
  virtual int make_event(void*& event) const = 0;
  virtual int record(void* event, void* stream) const = 0;
  virtual int query(void* event) const = 0;
  // Whether the stream is being captured into a graph.
  virtual bool is_captured(void* stream) const = 0;
  virtual std::string name_of_error(int status) const = 0;
};

// Null: this process has no CUDA or ROCm device, or its program has not loaded the driver yet. Only
// a driver that was found is cached.
const StreamDriver* stream_driver();

}  // namespace gondwana::shmem
