// For tools: memory of a rank beside its heap and its variables, and what copies of devices have
// moved. It lies behind the rank's control page.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/structure_list.hpp"
#include "core/types.hpp"
#include "memory/layout.hpp"

namespace gondwana {

// Up to 23 bytes and a zero.
using ShownName = std::array<std::atomic<std::uint64_t>, 3>;

void store_name(ShownName& name, std::string_view text);
std::string load_name(const ShownName& name);

// Memory that peers reach, or reached, where it is. Only the rank writes it.
struct ShownBuffer {
  std::atomic<std::uint64_t> begin;    // address in the rank's memory
  std::atomic<std::uint64_t> size;     // 0: unused, or being written
  std::atomic<std::uint64_t> is_gone;  // 1: peers no longer reach it
  ShownName device;                    // "emulated:0"; empty: memory of the host
};

// Of all threads of the rank, and of the agent for peers on other nodes.
struct KindTraffic {
  ShownName kind;                   // "emulated"; empty: no copies
  std::atomic<std::uint64_t> to;    // bytes
  std::atomic<std::uint64_t> from;  // likewise
};

struct DeviceTraffic {
  std::array<KindTraffic, 8> kinds;
  std::atomic<std::uint64_t> bounced;    // bytes that passed through host memory on their way
  std::atomic<std::uint64_t> under_way;  // copies of the rank that have begun and not ended
  std::atomic<std::uint64_t> served;     // those of the agent
};

struct ShownMemory {
  std::array<ShownBuffer, 40> buffers;
  DeviceTraffic devices;
};
static_assert(sizeof(ControlPage) + sizeof(ShownMemory) <= ControlPage::size);

using ShownStructures = StructureList<ShownMemory>;
template <ListedIn<ShownStructures> T>
inline constexpr bool is_shared<T> = true;

inline ShownMemory& shown_memory(ControlPage& page) {
  return shared_at<ShownMemory>(reinterpret_cast<std::byte*>(&page), sizeof(ControlPage));
}
inline const ShownMemory& shown_memory(const ControlPage& page) {
  return shown_memory(const_cast<ControlPage&>(page));  // NOLINT(*-const-cast): it is only read
}

// By the rank, one thread at a time. What there is no room for is not shown. `device`: empty for
// memory of the host.
void show_buffer(ShownMemory& shown, Bytes memory, std::string_view device);
// By where it begins.
void hide_buffer(ShownMemory& shown, const void* begin);

// What a tool sees of it.
struct SeenBuffer {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::string device = {};
};

// Those that are there; then, if they are wanted, those that were.
enum class Gone : std::uint8_t { left_out, included };
std::vector<SeenBuffer> seen_buffers(const ShownMemory& shown, Gone gone);

// Null: the address is in none.
const SeenBuffer* find_buffer(const std::vector<SeenBuffer>& buffers, std::uint64_t address);
// "registered buffer+0x40", "memory of emulated:0+0x40"
std::string name_in_buffer(const SeenBuffer& buffer, std::uint64_t address);

}  // namespace gondwana

// For the library that wraps the calls of a program: that of this rank.
extern "C" const gondwana::DeviceTraffic* gondwana_device_traffic();
