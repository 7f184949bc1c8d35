// The layout of a node's inboxes in shared memory, and the form of a message on a node.
//
// Each receiver has two lanes, for requests and for replies: full requests must not stop a reply.
// Each lane has a channel from every rank. An unused channel uses no memory: the file is sparse,
// and all zero is the valid initial state.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "core/longest_medium.hpp"
#include "core/types.hpp"
#include "sync/inbox_consumer.hpp"

namespace gondwana {

// A notice answers no request, so it may be sent outside of handlers. It uses the lane of replies,
// because its handler sends nothing.
enum class MessageClass : std::uint32_t { request, reply, notice };

// The lane of an inbox that a message goes through.
constexpr MessageClass queue_class(MessageClass message_class) {
  return message_class == MessageClass::request ? MessageClass::request : MessageClass::reply;
}

// 128 bytes with its slot's stamp: a pair of lines, which x86 fetches together. The first line
// holds 12 words, so most messages use one line. The words may also be a small payload.
struct InboxMessage {
  static constexpr std::uint32_t most_words = 28;
  static constexpr std::uint32_t max_arguments = 16;

  std::uint16_t handler;
  std::uint8_t kind;       // for the engine
  std::uint8_t arguments;  // words used for arguments; the engine uses the rest
  std::uint32_t payload_bytes;
  std::uint32_t spare;
  std::array<std::uint32_t, most_words> words;

  // A payload that travels here after the arguments, and not in a block. Aligned to 8 bytes, as
  // handlers may expect.
  MutableBytes short_payload() { return payload_after(words, arguments); }
  static constexpr std::size_t max_short_payload(std::uint32_t arguments) {
    return std::size_t{4} * (most_words - first_word(arguments));
  }

 private:
  // The words begin 16 bytes into the slot: an even one is aligned to 8 bytes.
  static constexpr std::uint32_t first_word(std::uint32_t arguments) {
    return (arguments + 1) / 2 * 2;
  }
  static MutableBytes payload_after(std::span<std::uint32_t> words, std::uint32_t arguments) {
    return std::as_writable_bytes(words.subspan(first_word(arguments)));
  }
};

static_assert(sizeof(InboxSlot<RealAtomics, InboxMessage>) == std::size_t{2} * cache_line);
static_assert(offsetof(InboxMessage, words) == 12);

// Offsets in the inbox of a rank on a node with up to `capacity` ranks, in bytes from its start:
//
//   per class:  lock | news of all senders | claims of all senders | channels | blocks
//
// A block holds the largest medium payload. Each channel has a few, and uses only the pages that it
// touched.
class InboxLayout {
 public:
  static constexpr std::uint32_t slots = 16;
  static constexpr std::size_t block_bytes = longest_medium;
  static constexpr std::size_t page = 4096;

  using Channel = InboxChannel<RealAtomics, InboxMessage, slots>;
  using Lock = InboxLock<RealAtomics>;

  explicit constexpr InboxLayout(std::uint32_t capacity, std::uint32_t blocks = 8)
      : capacity_(capacity), blocks_(blocks) {}

  constexpr std::uint32_t capacity() const { return capacity_; }
  constexpr std::uint32_t blocks() const { return blocks_; }

  constexpr std::size_t lane(MessageClass message_class) const {
    return static_cast<std::uint32_t>(message_class) * lane_bytes();
  }
  constexpr std::size_t size() const { return 2 * lane_bytes(); }

  // From the start of a lane, which begins with its lock.
  constexpr std::size_t news(std::uint32_t sender) const {
    return sizeof(Lock) + sizeof(std::uint32_t) * sender;
  }
  constexpr std::size_t claimed(std::uint32_t sender) const {
    return round_up(news(capacity_), alignof(Lock)) + sizeof(std::uint32_t) * sender;
  }
  constexpr std::size_t channel(std::uint32_t sender) const {
    return round_up(claimed(capacity_), alignof(Channel)) + sizeof(Channel) * sender;
  }
  constexpr std::size_t block(std::uint32_t sender, std::uint32_t number) const {
    return round_up(channel(capacity_), page) +
           (std::size_t{sender} * blocks_ + number) * block_bytes;
  }

 private:
  constexpr std::size_t lane_bytes() const { return block(capacity_, 0); }

  std::uint32_t capacity_;
  std::uint32_t blocks_;
};

// A lane in this process's mapping. `Bells` gives a rank's doorbell: the rank sleeps on it when it
// waits for messages or for space.
template <typename B>
concept BellsOfRanks = requires(B bells, std::uint32_t rank) {
  { bells(rank) } -> std::same_as<Doorbell<RealAtomics>&>;
};

template <BellsOfRanks Bells>
class SharedQueue {
 public:
  // `inbox`: the start of the receiver's inbox.
  SharedQueue(std::byte* inbox, InboxLayout layout, std::uint32_t receiver,
              MessageClass message_class, Bells bells)
      : start_(inbox + layout.lane(message_class)),
        layout_(layout),
        bells_(bells),
        bell_(&bells(receiver)),
        news_(at<RealAtomics::Word>(layout.news(0))),
        claimed_(at<RealAtomics::Word>(layout.claimed(0))),
        channels_(at<InboxLayout::Channel>(layout.channel(0))) {}

  static constexpr std::uint32_t max_watched = 16;

  std::uint32_t senders() const { return layout_.capacity(); }
  std::uint32_t blocks() const { return layout_.blocks(); }
  InboxLayout::Channel& channel(std::uint32_t sender) const { return channels_[sender]; }
  RealAtomics::Word& news(std::uint32_t sender) const { return news_[sender]; }
  RealAtomics::Word& claimed(std::uint32_t sender) const { return claimed_[sender]; }
  InboxLayout::Lock& lock() const { return *at<InboxLayout::Lock>(0); }
  Doorbell<RealAtomics>& bell() const { return *bell_; }
  Doorbell<RealAtomics>& sender_bell(std::uint32_t sender) const { return bells_(sender); }

  // The payload of a message with a block. It belongs to the owner (InboxSlot).
  MutableBytes block(std::uint32_t sender, std::uint32_t number) const {
    return {start_ + layout_.block(sender, number), InboxLayout::block_bytes};
  }

 private:
  template <typename T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(start_ + offset);  // NOLINT: all zero is a valid T
  }

  std::byte* start_;  // never owned
  InboxLayout layout_;
  Bells bells_;
  Doorbell<RealAtomics>* bell_;  // of the receiver
  RealAtomics::Word* news_;
  RealAtomics::Word* claimed_;
  InboxLayout::Channel* channels_;
};

}  // namespace gondwana
