#include "report/why/loops.hpp"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/modules.hpp"
#include "modules/stacks/stacks.hpp"
#include "report/why/sentences.hpp"

namespace gondwana::why {
namespace {

constexpr std::uint64_t few_instructions = 64;  // bytes

// The first thread whose innermost frame is in the program itself; null if there is none.
const stacks::ThreadStack* running_thread(const stacks::Place& place) {
  const auto runs = std::ranges::find_if(place.threads, [](const stacks::ThreadStack& thread) {
    return !thread.frames.empty() && thread.frames.front().is_program;
  });
  return runs != place.threads.end() ? &*runs : nullptr;
}

// The number of immediate bytes after the address, for instructions that read it; -1: another
// instruction.
int bytes_after_address(std::uint8_t before, std::uint8_t code, std::uint8_t operands) {
  constexpr std::array<std::uint8_t, 8> without{0x8a, 0x8b, 0x38, 0x39, 0x3a, 0x3b, 0x84, 0x85};
  constexpr std::array<std::uint8_t, 4> extending{0xb6, 0xb7, 0xbe, 0xbf};  // after 0x0f
  const unsigned which = operands >> 3 & 7;
  if (std::ranges::find(without, code) != without.end()) return 0;
  if (before == 0x0f && std::ranges::find(extending, code) != extending.end()) return 0;
  if ((code == 0x80 || code == 0x83) && which == 7) return 1;  // cmp
  if (code == 0x81 && which == 7) return 4;
  if (code == 0xf6 && which == 0) return 1;  // test
  if (code == 0xf7 && which == 0) return 4;
  return -1;
}

// The only variable of the program that these instructions read. The instruction before the first
// is included: a processor that waits for a value is found at the next instruction.
std::string variable_read(pid_t process, std::uint64_t first, std::uint64_t last) {
  constexpr std::uint64_t max_instruction_bytes = 15;
  std::array<std::byte, 2 * few_instructions> code{};
  const std::uint64_t from = first - max_instruction_bytes;
  const iovec here{code.data(), last + max_instruction_bytes - from};
  const iovec there{reinterpret_cast<void*>(from), here.iov_len};
  if (::process_vm_readv(process, &here, 1, &there, 1, 0) != static_cast<ssize_t>(here.iov_len))
    return {};
  const Result<void*> function = find_in_module("libgondwana_stacks.so", stacks::variable_symbol);
  if (!function) return {};
  std::string only;
  for (const Reading& reading : readings_in(std::span(code).first(here.iov_len), from)) {
    if (reading.end < first || reading.begin > last) continue;
    std::string name;
    reinterpret_cast<stacks::NameVariable>(*function)({process, reading.address}, &name);
    if (name.empty() || name == only) continue;
    if (!only.empty()) return {};
    only = std::move(name);
  }
  return only;
}

}  // namespace

std::vector<Reading> readings_in(std::span<const std::byte> code, std::uint64_t begin) {
  constexpr std::uint8_t relative_mask = 0xc7;
  constexpr std::uint8_t relative = 0x05;
  constexpr std::size_t address_size = 4;
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(code[at]); };
  std::vector<Reading> readings;
  for (std::size_t at = 1; at + 1 + address_size <= code.size(); ++at) {
    if ((byte(at) & relative_mask) != relative) continue;
    const int after = bytes_after_address(at > 1 ? byte(at - 2) : 0, byte(at - 1), byte(at));
    if (after < 0) continue;
    std::int32_t distance = 0;
    std::memcpy(&distance, code.data() + at + 1, sizeof(distance));
    const std::uint64_t end = begin + at + 1 + address_size + static_cast<std::uint64_t>(after);
    readings.push_back(
        {begin + at - 1, end, end + static_cast<std::uint64_t>(std::int64_t{distance})});
  }
  return readings;
}

void find_loop(jobs::RankSeen& rank, const std::vector<stacks::Place>& samples) {
  constexpr std::size_t min_samples = 4;
  if (samples.size() < min_samples) return;
  const stacks::ThreadStack* first = running_thread(samples.front());
  if (first == nullptr) return;
  const stacks::Frame& frame = first->frames.front();
  std::uint64_t lowest = frame.address;
  std::uint64_t highest = frame.address;
  for (const stacks::Place& look : samples) {
    const stacks::ThreadStack* thread = running_thread(look);
    if (thread == nullptr || thread->thread != first->thread) return;
    lowest = std::min(lowest, thread->frames.front().address);
    highest = std::max(highest, thread->frames.front().address);
  }
  if (highest - lowest >= few_instructions) return;
  rank.loop = frame.file.empty() ? fmt::format("{:#x}", lowest)
                                 : fmt::format("{}:{}", frame.file, frame.line);
  if (!frame.function.empty()) rank.loop += " in " + frame.function;
#ifdef __x86_64__
  if (samples.front().host.empty() && samples.front().pid != 0)
    rank.loop_reads = variable_read(samples.front().pid, lowest, highest);
#endif
}

std::string describe_loop(const jobs::RankSeen& rank) {
  return sentences::in_loop(rank.loop_reads.empty() ? "" : sentences::loop_reads(rank.loop_reads));
}

}  // namespace gondwana::why
