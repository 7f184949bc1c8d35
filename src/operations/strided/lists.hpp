// Transfers described by lists: blocks of one length (indexed) or of any length (vector).
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

// `shift` is added to each address. It leads from the peer's addresses to our window onto its
// memory.
struct Indexed {
  std::span<void* const> addresses;
  std::size_t length;  // length of every block
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

// The range of addresses that a list accesses, without its shift; `end` is excluded. Empty for
// empty lists.
struct Touched {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::size_t bytes = 0;  // bytes of payload; more than end - begin if blocks overlap
};

// Fails if a block leaves the address space or the payload is 2^62 bytes or more.
Result<Touched> touched(const Indexed& list);
Result<Touched> touched(const Vectors& list);

// Iterates over the bytes of a list in order. The list's arrays must outlive it.
template <BlockList List>
class Cursor {
 public:
  explicit Cursor(List list) : list_(list) { skip_empty(); }

  bool at_end() const { return block_ == list_.count(); }
  MutableBytes rest_of_block() const { return list_.block(block_).subspan(within_); }

  // Advances at most to the end of the block.
  void advance(std::size_t bytes) {
    within_ += bytes;
    if (within_ < list_.block(block_).size()) return;
    within_ = 0;
    ++block_;
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

// Both lists must have the same number of bytes and must not overlap. Their blocks may differ in
// length. A word aligned at the target is one store.
void copy(const Indexed& target, const Indexed& source);
void copy(const Vectors& target, const Vectors& source);

// A copy that checks that the blocks of one end are in a window: a range of the list's addresses,
// without its shift. Returns the first block outside, or nothing if all are inside. The blocks
// before it may have been copied.
struct Window {
  End end;
  std::uintptr_t begin;
  std::size_t size;
};
std::optional<std::size_t> copy_within(const Window& window, const Indexed& target,
                                       const Indexed& source);

}  // namespace gondwana::strided
