// Active messages to and from ranks out of reach, on top of the wire's messages.
//
// A message is written into a buffer and sent when it is published. An arriving message is copied
// into a buffer, where it stays until this rank polls. Requests in flight to a peer take credits of
// a `window`: one for each message and one for each KiB in it. The last request may exceed the
// window. The receiver reports from time to time how many credits it has freed. Replies need none,
// because each answers a request that had some. While replies of a peer wait to be handled, fewer
// requests may be sent to it. Notices answer no request and count as requests.
//
// Updates maintain replicas of team scratch: bytes, and a word that announces them. The receiver
// applies updates on arrival, in the order in which a peer sent them. A door never sends more
// updates than its scratch can hold.
//
// Updates maintain replicas of team scratch: bytes, and a word that announces them. The receiver
// applies updates on arrival, in the order in which a peer sent them. A door never sends more
// updates than it has room for.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/pool.hpp"
#include "engine/am/draft.hpp"
#include "memory/death_list.hpp"
#include "memory/node_memory.hpp"
#include "remote/protocol.hpp"
#include "remote/transport.hpp"
#include "sync/inbox.hpp"

namespace gondwana {

// A write to the arena of a peer: `bytes` at `offset`, then `word` at `word_offset` as a release.
struct Update {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

  std::uint64_t offset = 0;
  Bytes bytes;
  std::uint64_t word_offset = nowhere;
  std::uint64_t word = 0;
};

class RemoteMessages {
  struct Peer;

 public:
  static constexpr std::uint32_t window = 512;

  using Kind = remote::ContentKind;
  using Head = remote::ContentHeader;
  using ActiveMessage = remote::ActiveMessage;
  using Change = remote::MemoryUpdate;

  // A packet in flight, outgoing or incoming.
  struct MessageBuffer {
    alignas(8) ActiveMessage packet;
    Rank peer;
    Peer* state;                   // state of `peer`
    std::vector<std::byte> block;  // as large as the largest body so far

    // The buffer that contains the message.
    static MessageBuffer& of(InboxMessage& message) {
      return *reinterpret_cast<MessageBuffer*>(reinterpret_cast<std::byte*>(&message) -
                                               offsetof(ActiveMessage, message));
    }
  };

  // `turn` is held by the thread that uses the wire. It guards this object too.
  RemoteMessages(Wire& wire, std::recursive_mutex& turn, const NodeMemory& memory, Rank me,
                 std::uint32_t ranks);
  RemoteMessages(const RemoteMessages&) = delete;
  RemoteMessages& operator=(const RemoteMessages&) = delete;
  // Drops receipts that still wait. The wire may outlive this object.
  ~RemoteMessages();

  // Returns nothing if the peer must handle earlier messages first.
  std::optional<Draft> try_open(Rank to, MessageClass message_class, Payload payload);
  void publish(const Draft& draft);
  void cancel(const Draft& draft);
  // True: the update has left, and arrives without further progress here.
  bool update(Rank to, const Update& update);

  // Sends waiting messages. Called by the thread that has the wire.
  void move_on();
  // Whether no unsent message is left that a peer may need. Receipts do not count: a peer that does
  // not need one may have left, and then cannot be reached.
  bool is_all_sent() const;

  // Passes at most `most` arrived messages to `handle`; returns how many.
  template <typename Handle>
  std::uint32_t poll(MessageClass message_class, std::uint32_t most, const Handle& handle) {
    std::uint32_t handled = 0;
    while (handled < most) {
      MessageBuffer* buffer = next(message_class);
      if (buffer == nullptr) break;
      handle(*buffer);
      finish(*buffer);
      ++handled;
    }
    return handled;
  }

 private:
  struct Peer {
    std::uint32_t credits_used = 0;  // credits of requests and notices to the peer
    std::uint32_t owed =
        0;  // credits of the peer's requests and notices, freed but not yet reported
    std::uint32_t replies = 0;  // credits for arrived replies of the peer, until handled
    std::uint32_t waiting = 0;  // messages to the peer that wait for the wire
  };
  // A message for the wire. The packet begins with the head.
  struct Outgoing {
    Head& head;
    Bytes packet;
    Bytes body;
  };
  // A message that waits for the wire.
  struct Waiting {
    Rank to;
    std::uint32_t last_death;  // of the receiver, see DeathList
    Head head;
    std::vector<std::byte> rest;
  };

  void give_back(MessageBuffer& buffer);
  void send(Rank to, Peer& peer, const Outgoing& message, Departure departure);
  bool try_send(Rank to, Peer& peer, const Outgoing& message, Departure departure);
  void receive(Rank from, Bytes message);
  void keep(Rank from, const Head& head, Bytes message);
  void carry_out(Bytes message);
  MessageBuffer* next(MessageClass message_class);
  void finish(MessageBuffer& buffer);

  Wire& wire_;
  std::recursive_mutex& turn_;
  const NodeMemory& memory_;
  DeathList deaths_;
  Rank me_;
  std::uint32_t ranks_;
  std::uint16_t generation_;
  std::map<std::uint32_t, Peer> peers_;  // by rank; only peers with messages
  Pool<MessageBuffer> buffers_;
  std::deque<Waiting> waiting_;
  std::array<std::deque<MessageBuffer*>, 2> arrived_;  // by class
  std::array<std::atomic<std::uint32_t>, 2>
      how_many_{};  // sizes of arrived_, for readers without turn_
};

}  // namespace gondwana
