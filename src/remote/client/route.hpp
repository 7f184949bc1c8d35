// How messages of a rank leave it, and how messages to it arrive.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "remote/client/batch_slots.hpp"
#include "remote/transport.hpp"

namespace gondwana::remote {

// Limit of the unanswered batches of a rank to one node. The agent receives all of them if it has
// room for as many from each rank. One batch always may be sent.
inline constexpr std::size_t most_unanswered = 32;

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
  // The same for a slot with `size` bytes. Unless it is empty, its sender has taken it. If it is
  // accepted, it is free when its `leaving` is done and its state is empty.
  virtual Result<Posted> send_batch(std::uint32_t node, BatchSlots::Slot& slot,
                                    std::size_t size) = 0;
  // Limits of the bytes of unanswered batches to one node, and of their results.
  struct Window {
    std::size_t bytes;
    std::size_t results;
  };
  virtual Window window() const = 0;
  virtual Result<Posted> send_to_rank(Rank to, std::size_t size, Write write,
                                      Departure departure) = 0;
  // For a slot with messages to one rank: like send_batch().
  virtual Result<Posted> send_batch_to_rank(Rank to, BatchSlots::Slot& slot, std::size_t size) = 0;

  // The longest write or read in bytes. Each begins and finishes `done`. 0: messages only.
  virtual std::size_t longest_transfer() const = 0;
  virtual Result<Posted> write(Remote to, Bytes source, Completion& done) = 0;
  virtual Result<Posted> read(MutableBytes target, Remote from, Completion& done) = 0;
  virtual bool has_writes() const = 0;  // in flight
  // Another process has taken the place of a rank.
  virtual void renew(Rank /*rank*/) {}
  // Fails the writes and reads of a lost node, and waits for no message to it.
  virtual void abandon(std::uint32_t /*node*/, const Error& /*loss*/) {}

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
