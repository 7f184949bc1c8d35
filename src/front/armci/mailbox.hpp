// Messages with tags. A sender stores a message in its own arena and pushes its name onto a stack
// at the receiver, which fetches it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "core/types.hpp"

namespace gondwana::armci {

class Door;

class Mailbox {
 public:
  // A tag of a program and the same tag of this library are two tags.
  enum class Kind : std::uint32_t { program, library };

  explicit Mailbox(Door& door) : door_(door) {}
  ~Mailbox();

  // The bytes may be reused on return.
  void send(CallName call, Kind kind, int tag, Bytes bytes, Rank to);
  // Waits for the next message with the tag, from any sender if `from` is empty. Returns its
  // description, without the bytes.
  struct Arrived {
    Rank from;
    std::uint64_t offset;  // in the sender's arena
    std::uint64_t size;
    int tag;
    Kind kind;
  };
  Arrived wait(CallName call, Kind kind, int tag, std::optional<Rank> from);
  // Fetches the bytes, and returns the message to its sender.
  void take(CallName call, const Arrived& message, MutableBytes bytes);

 private:
  // The bytes follow.
  struct Head {
    std::uint64_t below = 0;     // name of the next older message in the stack
    std::uint64_t is_taken = 0;  // set by the receiver
    std::uint64_t size = 0;
    std::uint32_t kind = 0;
    std::int32_t tag = 0;
  };

  void reclaim();
  void poll(CallName call);
  Head head_of(CallName call, Rank from, std::uint64_t offset) const;
  std::optional<Arrived> find(Kind kind, int tag, std::optional<Rank> from);

  Door& door_;
  std::deque<std::byte*> sent_;    // not known to be taken yet
  std::size_t next_reclaim_ = 16;  // length of sent_ at which reclaim() checks again
  std::deque<Arrived> arrived_;    // not taken yet, oldest first
  std::uint64_t polls_ = 0;        // another thread may take the stack while one waits
};

}  // namespace gondwana::armci
