#include "engine/spaces/buffers.hpp"

#include <algorithm>

namespace gondwana {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

std::uintptr_t address_of(const void* object) {
  return reinterpret_cast<std::uintptr_t>(object);
}

}  // namespace

void RegisteredBuffers::Row::set(const Row& other) {
  begin.store(other.begin.load(relaxed), relaxed);
  size.store(other.size.load(relaxed), relaxed);
  parts.store(other.parts.load(relaxed), relaxed);
}

// Repeats a lookup that a concurrent change may have disturbed.
BufferPlace RegisteredBuffers::search(Rank rank, const void* object, std::size_t size) const {
  for (;;) {
    const std::uint64_t before = version_.load(std::memory_order_acquire);
    const BufferPlace found = find(rank, address_of(object), size);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && version_.load(relaxed) == before) return found;
  }
}

// The number of rows that begin at or below `address`.
std::size_t RegisteredBuffers::rows_up_to(std::uintptr_t address) const {
  const Row* rows = rows_.load(std::memory_order_acquire);
  std::size_t first = 0;
  for (std::size_t count = count_.load(relaxed); count > 0;) {
    const std::size_t half = count / 2;
    const bool is_below = rows[first + half].begin.load(relaxed) <= address;
    if (is_below) first += half + 1;
    count = is_below ? count - half - 1 : half;
  }
  return first;
}

BufferPlace RegisteredBuffers::find(Rank rank, std::uintptr_t object, std::size_t size) const {
  const std::size_t after = rows_up_to(object);
  if (after == 0) return {};
  const Row& row = rows_.load(relaxed)[after - 1];
  const std::size_t at = object - row.begin.load(relaxed);
  if (at >= row.size.load(relaxed)) return {};
  const BufferPart part = row.parts.load(relaxed)[index(rank)];
  if (at > part.size || size > part.size - at) return {};
  return {part.offset + at, part.id()};
}

void RegisteredBuffers::make_room() {
  const std::size_t count = count_.load(relaxed);
  if (count < room_) return;
  room_ = std::max<std::size_t>(16, 2 * room_);
  auto larger = std::make_unique<Row[]>(room_);  // NOLINT(modernize-avoid-c-arrays)
  for (std::size_t i = 0; i < count; ++i) larger[i].set(rows_.load(relaxed)[i]);
  rows_.store(larger.get(), std::memory_order_release);
  arrays_.push_back(std::move(larger));
}

void RegisteredBuffers::add(const RegisteredBuffer& buffer) {
  make_room();
  Row* rows = rows_.load(relaxed);
  const std::size_t count = count_.load(relaxed);
  const std::size_t place = rows_up_to(address_of(buffer.own.data()));
  version_.fetch_add(1, relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = count; i > place; --i) rows[i].set(rows[i - 1]);
  rows[place].begin.store(address_of(buffer.own.data()), relaxed);
  rows[place].size.store(buffer.own.size(), relaxed);
  rows[place].parts.store(buffer.parts, relaxed);
  count_.store(count + 1, relaxed);
  version_.fetch_add(1, std::memory_order_release);
}

void RegisteredBuffers::remove(const void* address) {
  Row* rows = rows_.load(relaxed);
  const std::size_t count = count_.load(relaxed);
  const std::size_t after = rows_up_to(address_of(address));
  if (after == 0 || rows[after - 1].begin.load(relaxed) != address_of(address)) return;
  version_.fetch_add(1, relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = after; i < count; ++i) rows[i - 1].set(rows[i]);
  count_.store(count - 1, relaxed);
  version_.fetch_add(1, std::memory_order_release);
}

Bytes RegisteredBuffers::overlapping(Bytes bytes) const {
  if (bytes.empty() || count_.load(relaxed) == 0) return {};
  const std::size_t after = rows_up_to(address_of(bytes.data()) + bytes.size() - 1);
  if (after == 0) return {};
  const Row& row = rows_.load(relaxed)[after - 1];
  const std::size_t size = row.size.load(relaxed);
  const auto* begin = reinterpret_cast<const std::byte*>(row.begin.load(relaxed));
  return begin + size > bytes.data() ? Bytes{begin, size} : Bytes{};
}

}  // namespace gondwana
