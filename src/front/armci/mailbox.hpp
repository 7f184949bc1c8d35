// Messages with tags. A sender leaves a message in its own arena and puts its name on top of a
// stack at the receiver, which fetches it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "core/types.hpp"

namespace gondwana::armci {

class Door;

class Mailbox {
 public:
  // Tags of programs, and of this library.
  enum class Kind : std::uint32_t { program, library };

  explicit Mailbox(Door& door) : door_(door) {}
  ~Mailbox();

  // The bytes may be reused on return.
  void send(CallName call, Kind kind, int tag, Bytes bytes, Rank to);
  // Waits for the next message with the tag; `from` nothing: of anybody. What it is, not its bytes.
  struct Arrived {
    Rank from;
    std::uint64_t offset;  // in the arena of the sender
    std::uint64_t size;
    int tag;
    Kind kind;
  };
  Arrived wait(CallName call, Kind kind, int tag, std::optional<Rank> from);
  // Fetches its bytes, and gives it back to the sender.
  void take(CallName call, const Arrived& message, MutableBytes bytes);

 private:
  // Followed by the bytes.
  struct Head {
    std::uint64_t below = 0;     // in the stack: the name of the message before
    std::uint64_t is_taken = 0;  // written by the receiver
    std::uint64_t size = 0;
    std::uint32_t kind = 0;
    std::int32_t tag = 0;
  };

  void reclaim();
  void look(CallName call);
  Head head_of(CallName call, Rank from, std::uint64_t offset) const;
  std::optional<Arrived> find(Kind kind, int tag, std::optional<Rank> from);

  Door& door_;
  std::deque<std::byte*> sent_;    // not known to be taken
  std::size_t next_reclaim_ = 16;  // how many of them there are at the next look
  std::deque<Arrived> arrived_;    // not taken, the oldest first
  std::uint64_t looks_ = 0;        // another thread may look while one waits
};

}  // namespace gondwana::armci
