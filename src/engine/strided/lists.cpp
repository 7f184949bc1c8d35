#include "engine/strided/lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/strided/plane.hpp"

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

// What fits into `room` under the rule of pack(); `is_first`: nothing is in the piece yet.
std::size_t cut_block(std::size_t within, std::size_t left, std::size_t room, bool is_first) {
  if (left <= room) return left;
  const std::size_t unit = std::min(within + left, cache_line);
  const std::size_t cut = (within + room) % unit;
  if (cut < room) return room - cut;
  return is_first ? room : 0;
}

template <BlockList List>
std::size_t pack_blocks(Cursor<List>& source, MutableBytes piece, bool is_first) {
  std::size_t packed = 0;
  while (!source.at_end() && packed < piece.size()) {
    const MutableBytes block = source.rest_of_block();
    const std::size_t size = cut_block(source.within_block(), block.size(), piece.size() - packed,
                                       is_first && packed == 0);
    if (size == 0) break;
    copy_to_peer(piece.data() + packed, block.data(), size);
    packed += size;
    source.advance(size);
  }
  return packed;
}

template <BlockList List>
void unpack_blocks(Cursor<List>& target, Bytes piece) {
  while (!piece.empty()) {
    const MutableBytes block = target.rest_of_block();
    const std::size_t size = std::min(block.size(), piece.size());
    copy_to_peer(block.data(), piece.data(), size);
    piece = piece.subspan(size);
    target.advance(size);
  }
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

// How many whole blocks come next and fit into `room`; 0 too where the cursor is within a block.
std::size_t whole_blocks(const Cursor<Indexed>& cursor, std::size_t room) {
  if (cursor.at_end() || cursor.within_block() != 0) return 0;
  return std::min(cursor.list().count() - cursor.block(), room / cursor.list().length);
}

Indexed next_blocks(const Cursor<Indexed>& cursor, std::size_t count) {
  const Indexed& list = cursor.list();
  return {list.addresses.subspan(cursor.block(), count), list.length, list.shift};
}

// One end of an indexed copy whose blocks are as long as the other's: scattered, or one after the
// other in a single block.
struct Scattered {
  void* const* addresses;
  std::ptrdiff_t shift;
  std::byte* at(std::size_t i) const { return static_cast<std::byte*>(addresses[i]) + shift; }
};

struct Contiguous {
  std::byte* begin;
  std::size_t length;
  std::byte* at(std::size_t i) const { return begin + i * length; }
};

// Words as one load and one store where they are aligned, which only each address can tell.
template <typename Word>
struct CheckedWord {
  static void move(std::byte* target, const std::byte* source, std::size_t run) {
    const auto both = reinterpret_cast<std::uintptr_t>(target) |  //
                      reinterpret_cast<std::uintptr_t>(source);
    if (both % sizeof(Word) == 0) [[likely]]
      AlignedWord<Word>::move(target, source, run);
    else
      copy_to_peer(target, source, sizeof(Word));
  }
};

template <Move M>
void copy_equal(const Indexed& target, const Indexed& source) {
  const std::size_t count = std::max(target.count(), source.count());
  const std::size_t length = std::min(target.length, source.length);
  const auto loop = [count, length](const auto& to, const auto& from) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) M::move(to.at(i), from.at(i), length);
  };
  const Scattered to{target.addresses.data(), target.shift};
  const Scattered from{source.addresses.data(), source.shift};
  if (target.length > length)
    loop(Contiguous{to.at(0), length}, from);
  else if (source.length > length)
    loop(to, Contiguous{from.at(0), length});
  else
    loop(to, from);
}

// Whether one end is blocks of the other's length, or a single block of them all.
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
  if (!are_equal(target, source)) return copy_blocks(target, source);
  const std::size_t length = std::min(target.length, source.length);
  switch (length) {
    case 1:
      return copy_equal<CheckedWord<std::uint8_t>>(target, source);
    case 2:
      return copy_equal<CheckedWord<std::uint16_t>>(target, source);
    case 4:
      return copy_equal<CheckedWord<std::uint32_t>>(target, source);
    case 8:
      return copy_equal<CheckedWord<std::uint64_t>>(target, source);
    case 16:
      return copy_equal<FixedRun<16>>(target, source);
    case 32:
      return copy_equal<FixedRun<32>>(target, source);
    case 64:
      return copy_equal<FixedRun<64>>(target, source);
    default:
      if (length < 8 || length > ChunkedRun<16>::longest_run)
        return copy_equal<AnyRun>(target, source);
      return length < 16 ? copy_equal<ChunkedRun<8>>(target, source)
                         : copy_equal<ChunkedRun<16>>(target, source);
  }
}

void copy(const Vectors& target, const Vectors& source) {
  copy_blocks(target, source);
}

std::size_t pack(Cursor<Indexed>& source, MutableBytes piece) {
  std::size_t packed = 0;
  if (const std::size_t count = whole_blocks(source, piece.size())) {
    void* const begin = piece.data();
    packed = count * source.list().length;
    copy(Indexed{{&begin, 1}, packed}, next_blocks(source, count));
    source.advance_blocks(count);
  }
  return packed + pack_blocks(source, piece.subspan(packed), packed == 0);
}

std::size_t pack(Cursor<Vectors>& source, MutableBytes piece) {
  return pack_blocks(source, piece, true);
}

void unpack(Cursor<Indexed>& target, Bytes piece) {
  if (const std::size_t count = whole_blocks(target, piece.size())) {
    void* const begin = const_cast<std::byte*>(piece.data());  // only read
    const std::size_t size = count * target.list().length;
    copy(next_blocks(target, count), Indexed{{&begin, 1}, size});
    target.advance_blocks(count);
    piece = piece.subspan(size);
  }
  unpack_blocks(target, piece);
}

void unpack(Cursor<Vectors>& target, Bytes piece) {
  unpack_blocks(target, piece);
}

}  // namespace gondwana::strided
