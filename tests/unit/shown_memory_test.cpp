// How tools name memory of a rank outside its heap.
#include "memory/shown_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>

namespace gondwana {
namespace {

std::uint64_t place(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

std::string name_of(const ShownMemory& shown, const std::byte* address, Gone gone) {
  const std::vector<SeenBuffer> buffers = seen_buffers(shown, gone);
  const SeenBuffer* buffer = find_buffer(buffers, place(address));
  return buffer == nullptr ? "" : name_in_buffer(*buffer, place(address));
}

TEST(shown_memory, addresses_in_buffers_are_named_also_when_they_are_gone) {
  const auto shown = std::make_unique<ShownMemory>();
  std::array<std::byte, 200> memory{};
  show_buffer(*shown, Bytes(memory).first(100), "");
  show_buffer(*shown, Bytes(memory).subspan(100), "emulated:0");
  EXPECT_EQ(name_of(*shown, &memory[64], Gone::left_out), "registered buffer+0x40");
  EXPECT_EQ(name_of(*shown, &memory[101], Gone::left_out), "memory of emulated:0+0x1");
  hide_buffer(*shown, memory.data());
  EXPECT_EQ(name_of(*shown, &memory[64], Gone::left_out), "");
  EXPECT_EQ(name_of(*shown, &memory[64], Gone::included), "registered buffer+0x40");
  show_buffer(*shown, Bytes(memory).first(80), "cuda:3");
  EXPECT_EQ(name_of(*shown, &memory[64], Gone::included), "memory of cuda:3+0x40");
}

TEST(shown_memory, what_there_is_no_room_for_is_not_shown) {
  const auto shown = std::make_unique<ShownMemory>();
  std::array<std::byte, 100> memory{};
  for (const std::byte& each : memory) show_buffer(*shown, Bytes(&each, 1), "");
  EXPECT_EQ(seen_buffers(*shown, Gone::left_out).size(), shown->buffers.size());
  hide_buffer(*shown, &memory[3]);
  show_buffer(*shown, Bytes(&memory[99], 1), "");
  EXPECT_EQ(name_of(*shown, &memory[99], Gone::left_out), "registered buffer+0x0");
  EXPECT_EQ(name_of(*shown, &memory[3], Gone::included), "");
}

TEST(shown_memory, long_names_are_cut) {
  ShownName name{};
  store_name(name, "a name of more than 23 bytes");
  EXPECT_EQ(load_name(name), "a name of more than 23 ");
}

}  // namespace
}  // namespace gondwana
