// Active messages to and from ranks out of reach: what the engine makes of the wire's message.
//
// A message is written into a buffer and sent when it is published. One that arrives is copied into
// a buffer, where it stays until this rank polls. A rank has at most `window` requests under way to
// each peer, as many as an inbox has slots; whoever handles them says now and then how many it has
// taken. Replies need no credit: each answers a request that had one, and while replies of a peer
// wait to be handled, fewer requests may go there. Notices answer none, and count as requests.
//
// Updates are for doors whose members keep copies of each other's boards: bytes, and a word that
// says that they are there. They are carried out when they arrive, in the order in which one peer
// sent them; a door does not send more of them than it has room for.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "memory/node_memory.hpp"
#include "remote/protocol.hpp"
#include "remote/wire.hpp"
#include "sync/inbox.hpp"

namespace gondwana {

// For the arena of a peer: `bytes` at `offset`, then `word` at `word_offset`, for who acquires it.
struct Update {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

  std::uint64_t offset = 0;
  Bytes bytes;
  std::uint64_t word_offset = nowhere;
  std::uint64_t word = 0;
};

class RemoteMessages {
 public:
  static constexpr std::uint32_t window = InboxLayout::slots;
  static constexpr std::size_t longest_body = InboxLayout::block_bytes;

  using Sort = remote::ContentKind;
  using Head = remote::ContentHeader;
  using ActiveMessage = remote::ActiveMessage;
  using Change = remote::MemoryUpdate;

  // A packet under way, here or there.
  struct MessageBuffer {
    alignas(8) ActiveMessage packet;
    Rank peer;
    std::vector<std::byte> block;  // as large as the largest body it ever had

    // The one that a message lies in.
    static MessageBuffer& of(InboxMessage& message) {
      return *reinterpret_cast<MessageBuffer*>(reinterpret_cast<std::byte*>(&message) -
                                               offsetof(ActiveMessage, message));
    }
  };

  static bool may_use(const Wire& wire) {
    return wire.limits().longest_message >= sizeof(ActiveMessage) + longest_body;
  }

  // `turn`: held by who uses the wire; it guards what is here too.
  RemoteMessages(Wire& wire, std::recursive_mutex& turn, const NodeMemory& memory, Rank me,
                 std::uint32_t ranks);
  RemoteMessages(const RemoteMessages&) = delete;
  RemoteMessages& operator=(const RemoteMessages&) = delete;
  // The wire may outlive it.
  ~RemoteMessages() { wire_.listen({}); }

  // Null where the peer has not handled enough of what was sent to it.
  MessageBuffer* try_open(Rank to, MessageClass sort, Payload payload);
  void publish(MessageBuffer& buffer);
  void cancel(MessageBuffer& buffer);
  // True: it has left, and needs no progress here to arrive.
  bool update(Rank to, const Update& update);

  // Sends what found no room before. By who has the wire.
  void move_on();
  bool is_all_sent() const { return waiting_.empty(); }

  // Gives what has arrived to `handle`, no more than `most`; how many.
  template <typename Handle>
  std::uint32_t poll(MessageClass sort, std::uint32_t most, const Handle& handle) {
    std::uint32_t handled = 0;
    while (handled < most) {
      MessageBuffer* buffer = next(sort);
      if (buffer == nullptr) break;
      handle(*buffer);
      finish(*buffer);
      ++handled;
    }
    return handled;
  }

 private:
  struct Peer {
    std::uint32_t under_way = 0;  // requests and notices to it
    std::uint32_t owed = 0;  // of these from it, those that were handled, and it has not been told
    std::uint32_t replies = 0;  // of its that have come and were not handled
    std::uint32_t waiting = 0;  // message to it that found no room yet
  };
  // RemoteMessages that found no room.
  struct Waiting {
    Rank to;
    std::vector<std::byte> message;
  };

  MessageBuffer& take_buffer();
  void send(Rank to, MutableBytes packet, Bytes body);
  bool try_send(Rank to, MutableBytes packet, Bytes body);
  void receive(Rank from, Bytes message);
  void keep(Rank from, MessageClass sort, Bytes message);
  void carry_out(Bytes message);
  MessageBuffer* next(MessageClass sort);
  void finish(MessageBuffer& buffer);

  Wire& wire_;
  std::recursive_mutex& turn_;
  const NodeMemory& memory_;
  Rank me_;
  std::uint32_t ranks_;
  std::uint16_t generation_;
  std::map<std::uint32_t, Peer> peers_;  // by rank; of those that were talked to
  std::deque<MessageBuffer> buffers_;
  std::vector<MessageBuffer*> free_;
  std::deque<Waiting> waiting_;
  std::array<std::deque<MessageBuffer*>, 2> arrived_;     // by class
  std::array<std::atomic<std::uint32_t>, 2> how_many_{};  // of them, for who looks without turn
};

}  // namespace gondwana
