#include "front/armci/heap.hpp"

#include <algorithm>

#include "core/mapping.hpp"

namespace gondwana::armci {
namespace {

constexpr std::size_t min_piece = std::size_t{64} << 20;
constexpr std::size_t large_block = std::size_t{1} << 20;  // starts at a page boundary

}  // namespace

GlobalHeap::~GlobalHeap() {
  for (const Piece& piece : pieces_) space_.release(piece.bytes);
}

std::byte* GlobalHeap::allocate(std::size_t size) {
  for (Piece& piece : pieces_)
    if (std::byte* block = allocate_in(piece, size)) return block;
  const std::size_t whole = round_up(size, page_size());
  std::optional<MutableBytes> bytes = space_.allocate(std::max(whole, min_piece));
  if (!bytes) bytes = space_.allocate(whole);
  if (!bytes) return nullptr;
  pieces_.push_front({*bytes, Heap(bytes->size())});
  return allocate_in(pieces_.front(), size);
}

std::byte* GlobalHeap::allocate_in(Piece& piece, std::size_t size) {
  const std::size_t alignment = size >= large_block ? page_size() : Heap::granule;
  const std::optional<Heap::Block> block = piece.book.allocate(size, alignment);
  return block ? piece.bytes.data() + block->offset : nullptr;
}

bool GlobalHeap::release(std::byte* block) {
  const auto holds = [block](const Piece& piece) {
    return block >= piece.bytes.data() && block < piece.bytes.data() + piece.bytes.size();
  };
  const auto piece = std::ranges::find_if(pieces_, holds);
  if (piece == pieces_.end()) return false;
  if (!piece->book.release(static_cast<std::size_t>(block - piece->bytes.data()))) return false;
  if (piece->book.used() == 0) keep_one_empty();
  return true;
}

// Of two empty pieces, releases the larger one.
void GlobalHeap::keep_one_empty() {
  const auto is_empty = [](const Piece& piece) { return piece.book.used() == 0; };
  if (std::ranges::count_if(pieces_, is_empty) < 2) return;
  auto largest = pieces_.end();
  for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece)
    if (is_empty(*piece) &&
        (largest == pieces_.end() || piece->bytes.size() > largest->bytes.size()))
      largest = piece;
  space_.release(largest->bytes);
  pieces_.erase(largest);
}

std::size_t GlobalHeap::largest_free() const {
  std::size_t most = space_.largest_free();
  for (const Piece& piece : pieces_) most = std::max(most, piece.book.largest_free());
  return most;
}

}  // namespace gondwana::armci
