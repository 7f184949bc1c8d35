// An endpoint carries bytes between processes of different nodes. It is connectionless and
// reliable. One process owns it; one thread at a time polls it. Each library has a folder with its
// own endpoint (network/ofi) and a row in the table of networks, which opens it. No other code uses
// a library.
//
// An endpoint progresses only when its owner polls it, for its own operations and for operations of
// its peers. A library's signal handlers and memory hooks are off. Its threads take no signals.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "network/posted.hpp"

namespace gondwana::network {

// Limits in bytes that hold for every library.
inline constexpr std::size_t longest_address = 1024;
inline constexpr std::size_t longest_key = 1024;

// A handle of another endpoint, valid in the endpoint that has added its address.
enum class Peer : std::uint64_t {};
inline constexpr Peer no_peer{~std::uint64_t{0}};

// Memory that a peer has registered, valid in the endpoint that has imported its key.
struct Region {
  Peer peer = no_peer;
  std::array<std::uint64_t, 2> words{};  // data of the library
};

// An operation in flight, identified by its address. It must not move until it has completed or
// failed. Meanwhile the library uses `room`.
struct Operation {
  alignas(16) std::array<std::byte, 64> room;
};

// Peers may read and write the memory until this object is destroyed, which must happen before its
// endpoint is.
class Registration {
 public:
  Registration() = default;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  virtual ~Registration() = default;

  virtual Bytes key() const = 0;
};

// The receive buffers of an endpoint.
struct Receives {
  std::size_t buffers = 0;
  std::size_t longest = 256;  // longest message in bytes
};

class Endpoint {
 public:
  // Called during poll(). The bytes of a message are invalid when the handler returns. Handlers may
  // post operations, but must not poll.
  struct Handlers {
    FunctionRef<void(Bytes)> on_message;
    FunctionRef<void(Operation&)> on_done;
    // The text is the reason. Libraries also report failures of their own operations, which are
    // unknown to the owner.
    FunctionRef<void(const Operation*, const std::string&)> on_failed;
  };

  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual ~Endpoint() = default;

  // The library, its version, the part of it in use and, if it has one, its own IPv4 address.
  virtual std::string describe() const = 0;
  // A text that must be the same at both ends of a connection.
  virtual std::string kind() const = 0;
  virtual Bytes address() const = 0;
  virtual std::size_t longest_transfer() const = 0;  // largest read or write in bytes
  virtual std::size_t max_injected() const = 0;      // longest injected message in bytes

  // The first operation makes the connection.
  virtual Result<Peer> add_peer(Bytes address) = 0;

  virtual Result<std::unique_ptr<Registration>> register_memory(MutableBytes memory) = 0;
  // `key` comes from a registration at the peer. The region lasts as long as this endpoint.
  virtual Result<Region> import_region(Peer peer, Bytes key) = 0;

  // Announces memory that operations often use and that does not move during the life of this
  // endpoint. Some libraries then need less time for each operation.
  virtual void keep(MutableBytes /*memory*/) {}
  // Resizes a message to at least this size and keeps its memory. Only this function resizes it.
  virtual void make_room(std::vector<std::byte>& message, std::size_t size) {
    if (message.size() < size) message.resize(size);
  }

  // Each operation is accepted, must be retried, or fails permanently. The bytes of an injected
  // message may be reused at once. Other buffers and operations must stay until on_done or
  // on_failed. Messages to one peer arrive in order, but large ones may be late. Writes and reads
  // are unordered. A write completes when its bytes are at the target. Writes and reads may need
  // the target to poll.
  virtual Result<Posted> inject(Peer to, Bytes message) = 0;
  virtual Result<Posted> send(Peer to, Bytes message, Operation& operation) = 0;
  virtual Result<Posted> write(const Region& to, std::uint64_t offset, Bytes source,
                               Operation& operation) = 0;
  virtual Result<Posted> read(const Region& from, std::uint64_t offset, MutableBytes target,
                              Operation& operation) = 0;

  // Handles a bounded number of events and returns their number.
  virtual std::size_t poll(const Handlers& handlers) = 0;

  // An owner that finds no event may sleep on this descriptor if may_sleep() has just returned
  // true. It is readable when there may be events. -1: no descriptor. Wake-ups are hints.
  virtual int wait_descriptor() const = 0;
  virtual bool may_sleep() = 0;

  // Counts a message that does not belong to this job. The first one is reported on stderr.
  void refuse();
  // Includes messages too long for the receive buffers.
  std::uint64_t refused() const { return refused_; }

 private:
  // The endpoint's own address, in the usual notation.
  virtual std::string place() const = 0;

  std::uint64_t refused_ = 0;
};

}  // namespace gondwana::network
