// The memory of a rank other than its heap and its variables, the traffic of device copies, and
// refused connections, for tools. The data is after the rank's control page.
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

// Memory that peers reach, or reached, in place. Only the rank writes it.
struct ShownBuffer {
  std::atomic<std::uint64_t> begin;    // address in the rank's memory
  std::atomic<std::uint64_t> size;     // 0: unused, or being written
  std::atomic<std::uint64_t> is_gone;  // 1: peers no longer reach it
  ShownName device;                    // "emulated:0"; empty: host memory
};

// Counts copies of all threads of the rank, and of the agent on behalf of other nodes.
struct KindTraffic {
  ShownName kind;                   // "emulated"; empty: no copies
  std::atomic<std::uint64_t> to;    // bytes
  std::atomic<std::uint64_t> from;  // likewise
};

struct DeviceTraffic {
  std::array<KindTraffic, 8> kinds;
  std::atomic<std::uint64_t> bounced;  // bytes that passed through host memory
  std::atomic<std::uint64_t> pending;  // copies of the rank in flight
  std::atomic<std::uint64_t> served;   // copies of the agent in flight
};

struct ShownMemory {
  std::array<ShownBuffer, 40> buffers;
  DeviceTraffic devices;
  std::atomic<std::uint32_t> refused;  // connections, by the rank's servers of unique ids
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

// Called by one thread of the rank at a time. Memory beyond the capacity is not shown. `device`:
// empty for host memory.
void show_buffer(ShownMemory& shown, Bytes memory, std::string_view device);
// Removes the memory that begins there.
void hide_buffer(ShownMemory& shown, const void* begin);

// A tool's copy of a ShownBuffer.
struct SeenBuffer {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::string device = {};
};

// The present entries, then, if wanted, the removed ones.
enum class Gone : std::uint8_t { left_out, included };
std::vector<SeenBuffer> seen_buffers(const ShownMemory& shown, Gone gone);

// Null: no entry contains the address.
const SeenBuffer* find_buffer(const std::vector<SeenBuffer>& buffers, std::uint64_t address);
// "registered buffer+0x40", "memory of emulated:0+0x40"
std::string name_in_buffer(const SeenBuffer& buffer, std::uint64_t address);

}  // namespace gondwana

// The memory of this rank, for the library that wraps the calls of a program.
extern "C" const gondwana::DeviceTraffic* gondwana_device_traffic();
