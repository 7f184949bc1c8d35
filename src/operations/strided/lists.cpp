#include "operations/strided/lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operations/strided/plane.hpp"

namespace gondwana::strided {
namespace {

template <BlockList List>
Result<Touched> touched_by(const List& list) {
  Touched all{~std::uintptr_t{0}, 0, 0};
  for (std::size_t i = 0; i < list.count(); ++i) {
    const MutableBytes block = list.block(i);
    if (block.empty()) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(block.data());
    std::uintptr_t end = 0;
    if (__builtin_add_overflow(begin, block.size(), &end) ||
        __builtin_add_overflow(all.bytes, block.size(), &all.bytes) || all.bytes >= longest)
      return Error{Errc::invalid_argument,
                   fmt::format("block {} of a list of {}, {} bytes at {:#x}, leaves the address "
                               "space or makes the list longer than 2^62 bytes",
                               i, list.count(), block.size(), begin)};
    all.begin = std::min(all.begin, begin);
    all.end = std::max(all.end, end);
  }
  return all.bytes == 0 ? Touched() : all;
}

template <BlockList List>
void copy_blocks(const List& target, const List& source) {
  Cursor to(target);
  Cursor from(source);
  while (!to.at_end()) {
    const MutableBytes block = from.rest_of_block();
    const std::size_t size = std::min(block.size(), to.rest_of_block().size());
    copy_to_peer(to.rest_of_block().data(), block.data(), size);
    to.advance(size);
    from.advance(size);
  }
}

// One end of an indexed copy with blocks of the same length at both ends. The blocks are scattered,
// or contiguous in a single block. holds() tells whether a block may be there.
struct Scattered {
  void* const* addresses;
  std::ptrdiff_t shift;
  std::byte* at(std::size_t i) const { return static_cast<std::byte*>(addresses[i]) + shift; }
  static bool holds(std::size_t /*i*/) { return true; }
};

struct Contiguous {
  std::byte* begin;
  std::size_t length;
  std::byte* at(std::size_t i) const { return begin + i * length; }
  static bool holds(std::size_t /*i*/) { return true; }
};

struct Confined : Scattered {
  std::uintptr_t begin;
  std::size_t last;  // the last allowed start of a block, from `begin`
  bool holds(std::size_t i) const {
    return reinterpret_cast<std::uintptr_t>(addresses[i]) - begin <= last;
  }
};

// One load and one store for an aligned word. Each address is checked.
template <typename Word>
struct CheckedWord {
  static void move(std::byte* target, const std::byte* source, std::size_t piece) {
    const auto both = reinterpret_cast<std::uintptr_t>(target) |  //
                      reinterpret_cast<std::uintptr_t>(source);
    if (both % sizeof(Word) == 0) [[likely]]
      AlignedWord<Word>::move(target, source, piece);
    else
      copy_to_peer(target, source, sizeof(Word));
  }
};

// Copies `count` blocks, or the blocks before the first one that an end does not allow.
template <Move M, typename To, typename From>
std::size_t move_blocks(const To& to, const From& from, std::size_t count, std::size_t length) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i) {
    if (!to.holds(i) || !from.holds(i)) [[unlikely]]
      return i;
    M::move(to.at(i), from.at(i), length);
  }
  return count;
}

// The two ends of a copy. Their types determine which of them is checked.
template <typename To, typename From>
struct Ends {
  To to;
  From from;
  std::size_t count;
  std::size_t length;

  template <Move M>
  std::size_t move() const {
    return move_blocks<M>(to, from, count, length);
  }
};

template <typename E>
std::size_t move_all(const E& ends) {
  switch (ends.length) {
    case 1:
      return ends.template move<CheckedWord<std::uint8_t>>();
    case 2:
      return ends.template move<CheckedWord<std::uint16_t>>();
    case 4:
      return ends.template move<CheckedWord<std::uint32_t>>();
    case 8:
      return ends.template move<CheckedWord<std::uint64_t>>();
    case 16:
      return ends.template move<FixedPiece<16>>();
    case 32:
      return ends.template move<FixedPiece<32>>();
    case 64:
      return ends.template move<FixedPiece<64>>();
    default:
      if (ends.length < 8 || ends.length > ChunkedPiece<16>::longest_piece)
        return ends.template move<AnyPiece>();
      return ends.length < 16 ? ends.template move<ChunkedPiece<8>>()
                              : ends.template move<ChunkedPiece<16>>();
  }
}

Scattered scattered(const Indexed& list) {
  return {list.addresses.data(), list.shift};
}

Contiguous contiguous(const Indexed& list, std::size_t length) {
  return {list.block(0).data(), length};
}

void copy_equal(const Indexed& target, const Indexed& source) {
  const std::size_t count = std::max(target.count(), source.count());
  const std::size_t length = std::min(target.length, source.length);
  if (target.length > length)
    move_all(Ends{contiguous(target, length), scattered(source), count, length});
  else if (source.length > length)
    move_all(Ends{scattered(target), contiguous(source, length), count, length});
  else
    move_all(Ends{scattered(target), scattered(source), count, length});
}

// The window's end has at least as many blocks as the other end, and they fit into the window.
std::size_t copy_confined(const Window& window, const Indexed& target, const Indexed& source) {
  const bool is_put = window.end == End::target;
  const Indexed& theirs = is_put ? target : source;
  const Indexed& ours = is_put ? source : target;
  const std::size_t length = theirs.length;
  const Confined peer{scattered(theirs), window.begin, window.size - length};
  const auto with = [&](const auto& own) {
    return is_put ? move_all(Ends{peer, own, theirs.count(), length})
                  : move_all(Ends{own, peer, theirs.count(), length});
  };
  return ours.length > length ? with(contiguous(ours, length)) : with(scattered(ours));
}

// Whether one end has blocks of the other's length or is a single block.
bool are_equal(const Indexed& target, const Indexed& source) {
  return target.length == source.length || target.count() == 1 || source.count() == 1;
}

}  // namespace

Result<Touched> touched(const Indexed& list) {
  return touched_by(Indexed{list.addresses, list.length});
}

Result<Touched> touched(const Vectors& list) {
  return touched_by(Vectors{list.blocks});
}

void copy(const Indexed& target, const Indexed& source) {
  if (target.count() == 0) return;
  if (are_equal(target, source))
    copy_equal(target, source);
  else
    copy_blocks(target, source);
}

std::optional<std::size_t> copy_within(const Window& window, const Indexed& target,
                                       const Indexed& source) {
  const bool is_put = window.end == End::target;
  const Indexed& theirs = is_put ? target : source;
  const Indexed& ours = is_put ? source : target;
  if (theirs.count() == 0) return std::nullopt;
  if (theirs.length > window.size) return 0;
  if (are_equal(target, source) && theirs.length <= ours.length) {
    const std::size_t copied = copy_confined(window, target, source);
    return copied < theirs.count() ? std::optional(copied) : std::nullopt;
  }
  const Confined peer{scattered(theirs), window.begin, window.size - theirs.length};
  for (std::size_t i = 0; i < theirs.count(); ++i)
    if (!peer.holds(i)) return i;
  copy(target, source);
  return std::nullopt;
}

void copy(const Vectors& target, const Vectors& source) {
  copy_blocks(target, source);
}

}  // namespace gondwana::strided
