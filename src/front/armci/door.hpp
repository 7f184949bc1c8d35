// The ARMCI door of one process: where memory of other processes lies, and the state that calls
// share.
//
// A process of the same node is named by addresses in its arena, as mapped here. For others it is
// the address in this process's own arena with the same offset. So an address and a process lead to
// a place by one subtraction, however many blocks there are.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "armci/armci.h"
#include "engine/collectives/staged/scratch_space.hpp"
#include "engine/engine.hpp"
#include "front/armci/group.hpp"
#include "front/armci/heap.hpp"
#include "front/armci/mailbox.hpp"
#include "front/armci/mutexes.hpp"
#include "front/armci/shared_place.hpp"
#include "front/armci/transfers.hpp"
#include "front/armci/turns.hpp"

namespace gondwana::armci {

// Prints the sentence and ends the job.
[[noreturn, gnu::cold]] void give_up(CallName call, const std::string& sentence);

class Door {
 public:
  // Collective.
  Door(Engine& engine, CallName call);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;
  ~Door();

  Engine& engine() const { return engine_; }
  Rank rank() const { return engine_.rank(); }
  std::uint32_t ranks() const { return engine_.ranks(); }
  Lane& lane() const { return engine_.default_lane(); }
  GlobalHeap& heap() { return heap_; }
  ScratchSpace& scratch() { return scratch_; }
  const CollectiveResources& resources() const { return engine_.collectives().resources(); }
  Mailbox& mailbox() { return mailbox_; }
  Mutexes& mutexes() { return mutexes_; }
  Transfers& transfers() { return transfers_; }

  // Whether loads and stores reach it.
  bool is_near(Rank rank) const { return reach_.covers(rank) || rank == this->rank(); }
  std::uint32_t node_of(Rank rank) const { return roster_.where(rank).node; }
  std::uint32_t nodes() const { return roster_.nodes(); }
  std::byte* own_arena() const { return own_arena_; }
  std::uint64_t offset_in_own_arena(Bytes memory) const;

  // Where memory of a process lies: here, in this process, or elsewhere.
  struct Place {
    std::byte* here;
    Remote elsewhere;
  };
  [[gnu::always_inline]] Place find(CallName call, int proc, const void* address,
                                    std::size_t size) const {
    if (window_of(proc, address, size) != nullptr) [[likely]]
      return {static_cast<std::byte*>(const_cast<void*>(address)), {}};
    return find_elsewhere(call, proc, address, size);
  }
  // The arena of a process, if it lies here and has all of [address, address + size); else null.
  [[gnu::always_inline]] std::byte* window_of(int proc, const void* address,
                                              std::size_t size) const {
    return window_of(reach_, proc, address, size);
  }
  // The same for code that also touches memory of this process, at `own`: null too if that may be
  // memory of a device.
  [[gnu::always_inline]] std::byte* window_of(int proc, const void* address, std::size_t size,
                                              const void* own) const {
    std::byte* window = window_of(copies_, proc, address, size);
    if (window == nullptr) [[unlikely]]
      return window_beside_devices(proc, address, size, own);
    return window;
  }
  bool has_devices() const { return has_devices_; }
  bool may_be_on_device(const void* address) const {
    return has_devices_ &&
           engine_.kinds().of({static_cast<const std::byte*>(address), 1}) != nullptr;
  }
  // Between two places of this process, each of which may be memory of a device.
  void copy(CallName call, void* to, const void* from, std::size_t size) const {
    if (has_devices_) [[unlikely]]
      return copy_by_kind(call, to, from, size);
    std::memmove(to, from, size);
  }
  CounterBlock& counters() const { return counters_; }
  // After a write to memory that lies here.
  [[gnu::always_inline]] void wake(int proc) const {
    const Rank rank{static_cast<std::uint32_t>(proc)};
    if (reach_.covers(rank)) [[likely]]
      Reach::wake(reach_.window(rank));
  }
  // The address by which this process names memory of another.
  void* name_of(Rank rank, std::uint64_t offset) const {
    return (reach_.covers(rank) ? reach_.window(rank) : own_arena_) + offset;
  }

  // Ends the job if the operation failed.
  void check(CallName call, bool is_done) const {
    if (!is_done) [[unlikely]]
      fail(call);
  }
  // Called before a put or an accumulate that goes elsewhere: it follows all earlier operations.
  void order(CallName call) {
    transfers_.wait_for_all(call);
    engine_.remote().fence(lane());
  }
  void complete(CallName call) const { check(call, engine_.rma().quiet(lane())); }
  Rank checked_rank(CallName call, int proc) const;

  // The ArmciWords of a process, and its counter of notifications from another.
  std::uint64_t words_of(Rank rank) const { return words_[index(rank)]; }
  std::uint64_t notifications_of(Rank rank, Rank from) const {
    return words_of(rank) + sizeof(ArmciWords) + index(from) * sizeof(std::uint64_t);
  }
  // The number of the next notification from a process, from 1 on.
  std::uint64_t next_notification(Rank from) { return ++notified_[index(from)]; }
  // Words of other processes, wherever they are.
  std::uint64_t request(CallName call, Rank rank, std::uint64_t offset,
                        const AtomicRequest& request) const;
  void store(CallName call, Rank rank, std::uint64_t offset, std::uint64_t word) const;
  std::uint64_t& own_word(std::uint64_t offset) const {
    return *reinterpret_cast<std::uint64_t*>(own_arena_ + offset);
  }

  Group& world() const { return *world_; }
  Group& node_group(CallName call);     // of the caller's node
  Group& masters_group(CallName call);  // the first process of each node
  // Called by the members alone, or by others too. It lives as long as the door, or until remove().
  Group& make_group(CallName call, std::vector<Rank> members);
  void remove(Group& group);
  // Null: there is no such group any more.
  Group* find_group(const void* address, std::uint64_t number) const;
  std::vector<Rank> all_ranks() const;
  std::vector<Rank> ranks_of_node(std::uint32_t node) const;  // in order
  std::vector<Rank> first_of_nodes() const;                   // the first process of each node

 private:
  // The arena within `reach`.
  [[gnu::always_inline]] std::byte* window_of(const Reach& reach, int proc, const void* address,
                                              std::size_t size) const {
    const Rank rank{static_cast<std::uint32_t>(proc)};
    if (!reach.covers(rank)) [[unlikely]]
      return nullptr;
    std::byte* window = reach.window(rank);
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - window);
    return offset <= arena_size_ && size <= arena_size_ - offset ? window : nullptr;
  }
  [[gnu::noinline]] std::byte* window_beside_devices(int proc, const void* address,
                                                     std::size_t size, const void* own) const;
  void copy_by_kind(CallName call, void* to, const void* from, std::size_t size) const;
  [[gnu::cold]] Place find_elsewhere(CallName call, int proc, const void* address,
                                     std::size_t size) const;
  [[noreturn, gnu::cold]] void fail(CallName call) const;
  StagedPlace take_scratch(CallName call);
  ArmciPlace place_of(CallName call, Rank rank) const;
  void make_world(CallName call);

  Engine& engine_;
  CounterBlock& counters_;
  Reach reach_;
  Reach copies_;  // covers no process if this one may have devices
  bool has_devices_;
  std::byte* own_arena_;
  std::size_t arena_size_;
  GlobalHeap heap_;
  ScratchSpace scratch_;
  const Roster& roster_;
  std::vector<std::uint64_t> words_;     // by rank
  std::vector<std::uint64_t> notified_;  // likewise: notifications that have been waited for
  std::unique_ptr<Group> world_;
  std::list<std::unique_ptr<Group>> groups_;
  Group* node_group_ = nullptr;     // made at first use
  Group* masters_group_ = nullptr;  // likewise
  Mailbox mailbox_;
  Mutexes mutexes_;
  Transfers transfers_;
};

// An array of the program, or a copy in host memory for the time of a call if it is memory of a
// device.
class OnHost {
 public:
  enum class Use : std::uint8_t { read, written, changed };

  OnHost(const Door& door, CallName call, MutableBytes array, Use use)
      : door_(door), call_(call), array_(array), use_(use) {
    if (door.may_be_on_device(array.data())) [[unlikely]]
      take_copy();
  }
  OnHost(const OnHost&) = delete;
  OnHost& operator=(const OnHost&) = delete;
  ~OnHost() {
    if (!copy_.empty() && use_ != Use::read)
      door_.copy(call_, array_.data(), copy_.data(), copy_.size());
  }

  MutableBytes bytes() const { return copy_.empty() ? array_ : copy_; }

 private:
  void take_copy();

  const Door& door_;
  CallName call_;
  MutableBytes array_;
  Use use_;
  mutable std::vector<std::byte> copy_;
};

// The door of this process; null before ARMCI_Init and after ARMCI_Finalize.
extern constinit Door* own_door __attribute__((visibility("hidden")));
[[noreturn, gnu::cold]] void refuse_without_door(CallName call);

[[gnu::always_inline]] inline Door& open_door(CallName call) {
  if (own_door == nullptr) [[unlikely]]
    refuse_without_door(call);
  return *own_door;
}

// A call of the program: it has the turn of the process, and the door.
class Entry {
 public:
  [[gnu::always_inline]] explicit Entry(CallName call) : call_(call), door_(open_door(call)) {}

  CallName call() const { return call_; }
  Door& operator*() const { return door_; }
  Door* operator->() const { return &door_; }

 private:
  CallName call_;
  Door& door_;
  Turn turn_;
};

}  // namespace gondwana::armci
