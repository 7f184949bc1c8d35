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
  // The default streams, of which each context has its own: 0, cudaStreamLegacy and
  // cudaStreamPerThread, or those of HIP.
  static bool is_default(void* stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }
  // Called first. A thread without a current context receives one, as by a call of the vendor's
  // runtime: that of the stream, or for a default stream that of device 0.
  virtual int enter(void* /*stream*/) const { return 0; }
  // The context or device of the stream. That of a default stream is this thread's current one.
  virtual std::uintptr_t context_of(void* stream) const = 0;
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
  // Sets how captures of other threads restrict this thread. `mode` becomes the previous mode.
  static constexpr int relaxed = 2;  // not at all; the same number in both drivers
  virtual void exchange_capture_mode(int& mode) const = 0;
  // Whether the stream is being captured into a graph.
  virtual bool is_captured(void* stream) const = 0;
  virtual std::string name_of_error(int status) const = 0;
};

// While it lives, this thread may make calls that wait although another thread captures a stream.
// Without it, the call fails and invalidates the capture.
class BesideCaptures {
 public:
  explicit BesideCaptures(const StreamDriver& driver) : driver_(driver) {
    driver_.exchange_capture_mode(mode_);
  }
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;
  ~BesideCaptures() { driver_.exchange_capture_mode(mode_); }

 private:
  const StreamDriver& driver_;
  int mode_ = StreamDriver::relaxed;
};

// Null: this process has no CUDA or ROCm device, or its program has not loaded the driver yet. Only
// a driver that was found is cached.
const StreamDriver* stream_driver();

}  // namespace gondwana::shmem
