#include "memory/shown_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/printable.hpp"

namespace gondwana {

void store_name(ShownName& name, std::string_view text) {
  std::array<std::uint64_t, std::tuple_size_v<ShownName>> words{};
  std::memcpy(words.data(), text.data(), std::min(text.size(), sizeof(words) - 1));
  for (std::size_t i = words.size(); i-- > 0;) name[i].store(words[i], std::memory_order_relaxed);
}

std::string load_name(const ShownName& name) {
  std::array<std::uint64_t, std::tuple_size_v<ShownName>> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = name[i].load(std::memory_order_relaxed);
  std::array<char, sizeof(words) + 1> text{};
  std::memcpy(text.data(), words.data(), sizeof(words));
  return printable(text.data());
}

namespace {

bool overlap(const ShownBuffer& buffer, std::uint64_t begin, std::uint64_t size) {
  const std::uint64_t its = buffer.begin.load(std::memory_order_relaxed);
  return its < begin + size && begin < its + buffer.size.load(std::memory_order_relaxed);
}

// An unused entry, or one of removed memory. Null: all are in use.
ShownBuffer* find_room(ShownMemory& shown) {
  const auto is_unused = [](const ShownBuffer& buffer) {
    return buffer.size.load(std::memory_order_relaxed) == 0;
  };
  const auto is_gone = [](const ShownBuffer& buffer) {
    return buffer.is_gone.load(std::memory_order_relaxed) != 0;
  };
  auto* room = std::ranges::find_if(shown.buffers, is_unused);
  if (room == shown.buffers.end()) room = std::ranges::find_if(shown.buffers, is_gone);
  return room == shown.buffers.end() ? nullptr : room;
}

}  // namespace

void show_buffer(ShownMemory& shown, Bytes memory, std::string_view device) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory.data());
  // Clears an older entry, perhaps of an engine that has ended.
  for (ShownBuffer& buffer : shown.buffers)
    if (overlap(buffer, begin, memory.size())) buffer.size.store(0, std::memory_order_release);
  ShownBuffer* room = find_room(shown);
  if (room == nullptr) return;
  room->size.store(0, std::memory_order_release);
  room->begin.store(begin, std::memory_order_relaxed);
  room->is_gone.store(0, std::memory_order_relaxed);
  store_name(room->device, device);
  room->size.store(memory.size(), std::memory_order_release);  // pairs with seen_buffers()
}

void hide_buffer(ShownMemory& shown, const void* begin) {
  for (ShownBuffer& buffer : shown.buffers)
    if (buffer.begin.load(std::memory_order_relaxed) == reinterpret_cast<std::uintptr_t>(begin))
      buffer.is_gone.store(1, std::memory_order_relaxed);
}

std::vector<SeenBuffer> seen_buffers(const ShownMemory& shown, Gone gone) {
  std::vector<SeenBuffer> there;
  std::vector<SeenBuffer> were;
  for (const ShownBuffer& buffer : shown.buffers) {
    const std::uint64_t size = buffer.size.load(std::memory_order_acquire);
    if (size == 0) continue;
    const bool is_gone = buffer.is_gone.load(std::memory_order_relaxed) != 0;
    (is_gone ? were : there)
        .push_back({buffer.begin.load(std::memory_order_relaxed), size, load_name(buffer.device)});
  }
  if (gone == Gone::included) there.insert(there.end(), were.begin(), were.end());
  return there;
}

const SeenBuffer* find_buffer(const std::vector<SeenBuffer>& buffers, std::uint64_t address) {
  const auto buffer = std::ranges::find_if(
      buffers, [&](const SeenBuffer& each) { return address - each.begin < each.size; });
  return buffer == buffers.end() ? nullptr : &*buffer;
}

std::string name_in_buffer(const SeenBuffer& buffer, std::uint64_t address) {
  return fmt::format("{}+{:#x}",
                     buffer.device.empty() ? "registered buffer" : "memory of " + buffer.device,
                     address - buffer.begin);
}

}  // namespace gondwana
