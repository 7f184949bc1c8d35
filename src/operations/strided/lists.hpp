// Transfers told as lists: blocks of one length (indexed), or of any (vector).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/result.hpp"
#include "core/types.hpp"
#include "operations/strided/transfer.hpp"

namespace gondwana::strided {

struct Block {
  void* address;
  std::size_t length;
};

// `shift` bytes are added to each address: from those of the peer to our window on its memory.
struct Indexed {
  std::span<void* const> addresses;
  std::size_t length;  // of every block
  std::ptrdiff_t shift = 0;

  std::size_t count() const { return length == 0 ? 0 : addresses.size(); }
  MutableBytes block(std::size_t i) const {
    return {static_cast<std::byte*>(addresses[i]) + shift, length};
  }
};

struct Vectors {
  std::span<const Block> blocks;
  std::ptrdiff_t shift = 0;

  std::size_t count() const { return blocks.size(); }
  MutableBytes block(std::size_t i) const {
    return {static_cast<std::byte*>(blocks[i].address) + shift, blocks[i].length};
  }
};

template <typename L>
concept BlockList = requires(const L& list, std::size_t i) {
  { list.count() } -> std::same_as<std::size_t>;
  { list.block(i) } -> std::same_as<MutableBytes>;
};

// What a list touches: addresses without its shift, `end` excluded. Empty lists touch nothing.
struct Touched {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::size_t bytes = 0;  // of payload; more than end - begin where blocks overlap
};

// An error where a block leaves the address space or the payload is 2^62 bytes or more.
Result<Touched> touched(const Indexed& list);
Result<Touched> touched(const Vectors& list);

// Goes through the bytes of a list, in its order. The list's arrays stay the caller's.
template <BlockList List>
class Cursor {
 public:
  explicit Cursor(List list) : list_(list) { skip_empty(); }

  const List& list() const { return list_; }
  bool at_end() const { return block_ == list_.count(); }
  std::size_t block() const { return block_; }
  MutableBytes rest_of_block() const { return list_.block(block_).subspan(within_); }
  std::size_t within_block() const { return within_; }

  // Not beyond the end of the block.
  void advance(std::size_t bytes) {
    within_ += bytes;
    if (within_ < list_.block(block_).size()) return;
    advance_blocks(1);
  }

  // To the beginning of a later block.
  void advance_blocks(std::size_t blocks) {
    within_ = 0;
    block_ += blocks;
    skip_empty();
  }

 private:
  void skip_empty() {
    while (!at_end() && list_.block(block_).empty()) ++block_;
  }

  List list_;
  std::size_t block_ = 0;
  std::size_t within_ = 0;
};

// Both lists have the same number of bytes and do not overlap; their blocks may be cut differently.
// Words aligned at the target are stored whole.
void copy(const Indexed& target, const Indexed& source);
void copy(const Vectors& target, const Vectors& source);

// The same where the blocks of one end are to lie in a window: bytes from an address on, as the
// list has them, without its shift. Looks at each on the way; the first that does not lie there,
// which is as far as it has then come, or nothing.
struct Window {
  End end;
  std::uintptr_t begin;
  std::size_t size;
};
std::optional<std::size_t> copy_within(const Window& window, const Indexed& target,
                                       const Indexed& source);

// Packs what comes next and returns how much: all that fits, but blocks of up to 64 bytes are not
// cut unless the piece is smaller, longer ones at multiples of 64. 0: the list is at its end.
std::size_t pack(Cursor<Indexed>& source, MutableBytes piece);
std::size_t pack(Cursor<Vectors>& source, MutableBytes piece);

// Unpacks all of a piece into what comes next; not more than is left of the list.
void unpack(Cursor<Indexed>& target, Bytes piece);
void unpack(Cursor<Vectors>& target, Bytes piece);

}  // namespace gondwana::strided
