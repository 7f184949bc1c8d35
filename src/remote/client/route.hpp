// How messages of a rank leave it, and how messages to it arrive.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "remote/transport.hpp"

namespace gondwana::remote {

class Route {
 public:
  using Write = FunctionRef<void(std::byte*)>;  // writes a message

  struct Handlers {
    FunctionRef<void(Bytes)> on_message;  // the bytes are gone when it returns
    // A node has become unreachable; the text is the reason.
    FunctionRef<void(std::uint32_t, const std::string&)> on_lost;
  };

  Route() = default;
  Route(const Route&) = delete;
  Route& operator=(const Route&) = delete;
  virtual ~Route() = default;

  // Where agents send their answers.
  virtual Bytes address() const = 0;

  // Sends a message to the agent of a node, or to a rank. Messages to one destination arrive in
  // order, but large ones may be reported late. An Error is final.
  virtual Result<Posted> send_to_agent(std::uint32_t node, std::size_t size, Write write) = 0;
  // The same for a message that is free when `leaving` is done.
  virtual Result<Posted> send_batch(std::uint32_t node, Bytes message, Completion& leaving) = 0;
  virtual Result<Posted> send_to_rank(Rank to, std::size_t size, Write write) = 0;

  // The longest put or get in bytes. Each begins and finishes `done`. 0: messages only.
  virtual std::size_t longest_transfer() const = 0;
  virtual Result<Posted> put(Remote to, Bytes source, Completion& done) = 0;
  virtual Result<Posted> get(MutableBytes target, Remote from, Completion& done) = 0;
  virtual bool has_puts() const = 0;  // in flight

  // Whether all messages have left, so that they arrive without further calls.
  virtual bool has_departed() const = 0;
  // Handles what has come; true if anything had.
  virtual bool poll(const Handlers& handlers) = 0;
  // See Transport.
  virtual bool may_sleep() = 0;
  virtual void sleep(std::chrono::microseconds limit) = 0;
  // Whether the program has closed descriptors of this route.
  virtual bool was_closed() const { return false; }
};

}  // namespace gondwana::remote
