// How messages of a rank leave, and how messages to it arrive.
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

// The most unanswered batches of a rank to one node. The agent can receive all of them if it has
// buffers for that many from each rank. One batch is always allowed.
inline constexpr std::size_t max_unanswered = 32;

class Route {
 public:
  using Write = FunctionRef<void(std::byte*)>;  // writes a message

  struct Handlers {
    FunctionRef<void(Bytes)> on_message;  // the bytes are invalid when it returns
    // A node has become unreachable; the text is the reason.
    FunctionRef<void(std::uint32_t, const std::string&)> on_lost;
    // A message to a rank has failed.
    FunctionRef<void(Rank, const std::string&)> on_unreachable;
  };

  Route() = default;
  Route(const Route&) = delete;
  Route& operator=(const Route&) = delete;
  virtual ~Route() = default;

  // The address to which agents send their replies.
  virtual Bytes address() const = 0;

  // Sends a message to the agent of a node, or to a rank. Messages to one destination arrive in
  // order, but large ones may be reported late. An Error is final.
  virtual Result<Posted> send_to_agent(std::uint32_t node, std::size_t size, Write write) = 0;
  // Sends the `size` bytes of a slot. Unless the slot is empty, its sender must have taken it. If
  // the message is accepted, the slot is free when `leaving` is done and its state is empty.
  virtual Result<Posted> send_batch(std::uint32_t node, BatchSlots::Slot& slot,
                                    std::size_t size) = 0;
  // The most bytes of unanswered batches to one node, and of their results.
  struct Window {
    std::size_t bytes;
    std::size_t results;
  };
  virtual Window window() const = 0;
  virtual Result<Posted> send_to_rank(Rank to, std::size_t size, Write write,
                                      Departure departure) = 0;
  // Like send_batch(), for a slot with messages to one rank.
  virtual Result<Posted> send_batch_to_rank(Rank to, BatchSlots::Slot& slot, std::size_t size) = 0;

  // The longest write or read in bytes. 0: messages only. Each write and read begins and finishes
  // `done`.
  virtual std::size_t longest_transfer() const = 0;
  virtual Result<Posted> write(Remote to, Bytes source, Completion& done) = 0;
  virtual Result<Posted> read(MutableBytes target, Remote from, Completion& done) = 0;
  virtual bool has_writes() const = 0;  // in flight
  // Another process has replaced a rank.
  virtual void renew(Rank /*rank*/) {}
  // Fails the writes and reads of a lost node, and stops waiting for messages to it.
  virtual void abandon(std::uint32_t /*node*/, const Error& /*loss*/) {}

  // Whether all messages have left, so that they arrive without further calls.
  virtual bool has_departed() const = 0;
  // Handles arrivals. True if there were any.
  virtual bool poll(const Handlers& handlers) = 0;
  // See Transport.
  virtual bool may_sleep() = 0;
  virtual void sleep(std::chrono::microseconds limit) = 0;
  // Whether the program has closed descriptors of this route.
  virtual bool was_closed() const { return false; }
};

}  // namespace gondwana::remote
