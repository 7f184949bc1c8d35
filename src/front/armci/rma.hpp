// Puts, gets and accumulates of single pieces, of sections of arrays and of lists of pieces.
#pragma once

#include <array>
#include <optional>

#include "front/armci/door.hpp"
#include "operations/accumulate.hpp"
#include "operations/copy.hpp"
#include "operations/strided/transfer.hpp"

namespace gondwana::armci {

// The parameters of a call, with its turn. A put is an accumulate that replaces.
struct Call {
  Door& door;
  CallName name;
  int proc;
  strided::End side;  // the side of the other process: target of puts, source of gets
  std::optional<Accumulation> adds = {};
  bool waits = true;              // false: a get may continue after the call
  armci_hdl_t* handle = nullptr;  // of a nonblocking call
  [[no_unique_address]] Turn turn = {};
};

// Moves one piece between memory that is mapped here. False: the other memory is not mapped here,
// or the call may not name it.
[[gnu::always_inline]] inline bool try_put(void* target, const void* source, std::size_t size,
                                           int proc) {
  if (own_door == nullptr) [[unlikely]]
    return false;
  std::byte* window = own_door->memory().window_of(proc, target, size, source);
  if (window == nullptr) [[unlikely]]
    return false;
  own_door->counters().add_put(size);
  copy_to_peer(static_cast<std::byte*>(target), static_cast<const std::byte*>(source), size);
  Reach::wake(window);
  return true;
}
[[gnu::always_inline]] inline bool try_get(void* target, const void* source, std::size_t size,
                                           int proc) {
  if (own_door == nullptr || own_door->memory().window_of(proc, source, size, target) == nullptr)
      [[unlikely]]
    return false;
  own_door->counters().add_get(size);
  copy_from_peer(static_cast<std::byte*>(target), static_cast<const std::byte*>(source), size);
  return true;
}

// Adds one piece, within a stripe or one element, if the lock is free. False: no effect.
[[gnu::always_inline]] inline bool try_add(int datatype, const void* scale, void* target,
                                           const void* source, std::size_t size, int proc) {
  if (own_door == nullptr || static_cast<std::size_t>(datatype) >= accumulate_types) [[unlikely]]
    return false;
  const auto type = static_cast<AccumulateType>(datatype);  // as in armci.h
  std::byte* window = own_door->memory().window_of(proc, target, size, source);
  if (window == nullptr || size % width(type) != 0) [[unlikely]]
    return false;
  auto* place = static_cast<std::byte*>(target);
  const auto offset = static_cast<std::uint64_t>(place - window);
  if (HeldStripes::next_part(offset, size, width(type)) != size) return false;
  {
    const Rank rank{static_cast<std::uint32_t>(proc)};
    HeldStripes stripes(own_door->engine().memory().page(rank).accumulate_locks);
    if (!stripes.try_move_to(offset, size)) [[unlikely]]
      return false;
    Accumulation(type, scale).add(place, static_cast<const std::byte*>(source), size);
  }
  own_door->counters().add_put(size);
  Reach::wake(window);
  return true;
}

// The size of a contiguous section. 0: it is empty or not contiguous.
[[gnu::always_inline]] inline std::size_t size_of_piece(const int* counts, int levels) {
  if (levels > 1 || (levels == 1 && counts[1] != 1) || levels < 0 || counts[0] < 0) return 0;
  return static_cast<std::size_t>(counts[0]);
}

// Ends the job if the type does not exist.
Accumulation accumulation_of(CallName name, int datatype, const void* scale);

// Sizes are in bytes. The sizes of accumulates are whole elements.
void move_piece(const Call& call, void* target, void* source, std::size_t size);
int checked_size(CallName name, int size);

// The arguments of the call. The strides are null if `levels` is 0.
struct Section {
  void* source;
  const int* source_strides;
  void* target;
  const int* target_strides;
  const int* counts;
  int levels;
};
void move_section(const Call& call, const Section& section);
// Ends the job if there are too many levels, or a count is negative.
void check_shape(CallName name, const int* counts, int levels);

using AllStrides = std::array<std::ptrdiff_t, ARMCI_MAX_STRIDE_LEVEL>;
AllStrides wide(const int* strides, int levels);
// A checked section, with the strides of both ends.
struct Shape {
  const int* counts;
  int levels;
  const AllStrides& target;
  const AllStrides& source;
};
// Ends the job if the transfer leaves the address space.
strided::Transfer optimized(CallName name, const Shape& shape, strided::End ordered);
void move_list(const Call& call, const armci_giov_t* list, int length);

// Stores a word after a put: a process that sees the word also sees the data.
void store_flag(const Call& call, int* flag, int value);

}  // namespace gondwana::armci
