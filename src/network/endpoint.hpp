// What carries bytes between the processes of different nodes: connectionless, reliable, owned by
// one process and polled by one thread at a time. Each library has a folder with an endpoint of its
// own (network/ofi), and a row in the table of networks, which opens it. Nobody else sees a
// library.
//
// An endpoint moves nothing by itself: its owner polls it, for its own operations and for those of
// its peers. A library's signal handlers and memory hooks are off, and its threads take no signals.
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

// What every library keeps to, in bytes.
inline constexpr std::size_t longest_address = 1024;
inline constexpr std::size_t longest_key = 1024;

// Another endpoint, to the endpoint that was told its address.
enum class Peer : std::uint64_t {};
inline constexpr Peer no_peer{~std::uint64_t{0}};

// Memory that a peer has registered, to the endpoint that was told its key.
struct Region {
  Peer peer = no_peer;
  std::array<std::uint64_t, 2> words{};  // for the library
};

// An operation under way is known by its address. It stays where it is until it is done or has
// failed; meanwhile the room is the library's.
struct Operation {
  alignas(16) std::array<std::byte, 64> room;
};

// Peers may read and write the memory until this is destroyed, which is before its endpoint.
class Registration {
 public:
  Registration() = default;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  virtual ~Registration() = default;

  virtual Bytes key() const = 0;
};

// The room that an endpoint has for messages.
struct Receives {
  std::size_t buffers = 0;
  std::size_t longest = 256;  // bytes of a message
};

class Endpoint {
 public:
  // What polling finds. The bytes of a message are gone when the handler returns. Handlers may post
  // operations, but not poll.
  struct Handlers {
    FunctionRef<void(Bytes)> on_message;
    FunctionRef<void(Operation&)> on_done;
    // Why, in words. Libraries also tell of failures of their own: the operation may be none that
    // was given to them.
    FunctionRef<void(const Operation*, const std::string&)> on_failed;
  };

  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual ~Endpoint() = default;

  // Library, version, what of it is used and, where it has one, the own IPv4 address.
  virtual std::string describe() const = 0;
  // What both ends of a connection must have alike.
  virtual std::string kind() const = 0;
  virtual Bytes address() const = 0;
  virtual std::size_t longest_transfer() const = 0;  // bytes of one read or write
  virtual std::size_t most_injected() const = 0;     // bytes of one message

  // No connection is made before the first operation.
  virtual Result<Peer> add_peer(Bytes address) = 0;

  virtual Result<std::unique_ptr<Registration>> register_memory(MutableBytes memory) = 0;
  // The key is that of a registration at the peer. The region lasts as long as this endpoint.
  virtual Result<Region> import_region(Peer peer, Bytes key) = 0;

  // Memory that stays where it is while this endpoint lives, and that operations will often use.
  // Some libraries then need less time for each.
  virtual void keep(MutableBytes /*memory*/) {}
  // Makes a message at least that long. Its memory is kept likewise: nobody else resizes it.
  virtual void make_room(std::vector<std::byte>& message, std::size_t size) {
    if (message.size() < size) message.resize(size);
  }

  // Each is accepted, refused for now, or final. The bytes of an injected message are free at once.
  // Otherwise buffer and operation stay until on_done or on_failed. Messages to one peer arrive in
  // order, but large ones perhaps late. Nothing orders writes and reads. A write is done when its
  // bytes are at the target. It and a read may need the target to poll.
  virtual Result<Posted> inject(Peer to, Bytes message) = 0;
  virtual Result<Posted> send(Peer to, Bytes message, Operation& operation) = 0;
  virtual Result<Posted> write(const Region& to, std::uint64_t offset, Bytes source,
                               Operation& operation) = 0;
  virtual Result<Posted> read(const Region& from, std::uint64_t offset, MutableBytes target,
                              Operation& operation) = 0;

  // Handles what has come, a bounded number; how much.
  virtual std::size_t poll(const Handlers& handlers) = 0;

  // Whoever finds nothing may sleep on this descriptor, if may_sleep() says so just before: it can
  // be read when there is something to poll. -1: there is none. Wake-ups are hints.
  virtual int wait_descriptor() const = 0;
  virtual bool may_sleep() = 0;

  // A message that is none of this job's. The first one is told.
  void refuse();
  // Those, and messages that nothing here has room for.
  std::uint64_t refused() const { return refused_; }

 private:
  // The own address, as other tools name it.
  virtual std::string place() const = 0;

  std::uint64_t refused_ = 0;
};

}  // namespace gondwana::network
