// Another host, as seen by a command that sends questions to the observer there.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "link/host.hpp"
#include "observe/hosts/messages.hpp"

namespace gondwana::hosts {

class ObservedHost {
 public:
  // After `silence_s` seconds of silence the host counts as lost; 0: never.
  ObservedHost(link::Host host, std::uint32_t silence_s)
      : host_(std::move(host)), silence_s_(silence_s) {}
  ObservedHost(ObservedHost&& other) noexcept;
  ObservedHost& operator=(ObservedHost&& other) = delete;
  ~ObservedHost() { end(); }

  // Starts the observer there, without waiting.
  Result<void> start();

  void ask(const Message& question);

  // Returns the answer, which takes at least `time`. Stops waiting when `continues` returns false.
  // The first call also reads the greeting. After an error the host is no longer used.
  Result<Message> answer(std::chrono::milliseconds time, FunctionRef<bool()> continues);

  const std::string& name() const { return host_.name; }
  bool is_there() const { return pid_ > 0; }

 private:
  using Time = std::chrono::steady_clock::time_point;

  Result<Message> next(Time end, FunctionRef<bool()> continues);
  Result<bool> read_some();
  Error loss();
  Error silence(std::chrono::milliseconds time) const;
  std::chrono::milliseconds timeout() const;
  void end();
  void end_now();

  link::Host host_;
  std::uint32_t silence_s_;
  pid_t pid_ = 0;
  UniqueFd link_;    // its standard input and output
  UniqueFd stderr_;  // its standard error
  MessageParser parser_;
  bool is_greeted_ = false;
};

}  // namespace gondwana::hosts
