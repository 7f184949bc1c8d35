// The GASNet-EX door: the objects of one process, and the state that its calls share.
//
// Most calls name an object, and every object knows its door. The other calls use door(), the door
// of this process. Tests that run ranks as threads have several doors.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "front/gasnet/event.hpp"
#include "front/gasnet/hosts.hpp"
#include "front/gasnet/objects.hpp"
#include "front/gasnet/remote_memory.hpp"
#include "front/gasnet/settings.hpp"
#include "gasnet/system.h"

namespace gondwana::gasnet {

// The thread mode of the client, with the values of struct gondwana_gex_build.
enum class ThreadMode : std::uint32_t { seq, parsync, par };

class Door {
 public:
  struct Setup {
    Engine* engine;
    ThreadMode threads = ThreadMode::seq;
    bool checks = false;  // of calls: GASNET_DEBUG or GONDWANA_DEBUG
    Settings settings = {};
    bool inline_path = true;  // false: every put, get and atomic update calls the library
    bool everything = false;  // peers may name all memory: GASNET_SEGMENT_EVERYTHING
    std::uint64_t machine = this_machine();  // on which this rank runs
  };

  explicit Door(const Setup& setup);
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  Engine& engine() { return *engine_; }
  bool checks() const { return checks_; }
  ThreadMode threads() const { return threads_; }
  const Settings& settings() const { return settings_; }
  bool has_everything() const { return has_everything_; }
  bool has_devices() const { return has_devices_; }
  // Cheap where no device can have the address.
  bool may_be_on_device(const void* address) const {
    return has_devices_ &&
           engine_->kinds().of({static_cast<const std::byte*>(address), 1}) != nullptr;
  }
  // Between two places of this process, each of which may be memory of a device.
  void copy(CallName call, void* to, const void* from, std::size_t size) const {
    if (has_devices_) [[unlikely]]
      return copy_by_kind(call, to, from, size);
    std::memcpy(to, from, size);
  }
  // Payloads of more bytes need a second look: they are too long, or may be memory of a device.
  std::size_t most_plain_medium() const { return most_plain_medium_; }
  std::size_t most_plain_long() const { return most_plain_long_; }
  std::uint32_t rank() const { return index(engine_->rank()); }
  std::uint32_t ranks() const { return engine_->ranks(); }

  // Collective. Makes the client, its first endpoint and the team of all first endpoints.
  void join(const std::string& client_name, gex_Flags_t flags);
  gex_Client_t client() const { return client_.get(); }
  gex_EP_t first_endpoint() const { return endpoints_[0].get(); }
  gex_TM_t world() const { return world_; }

  // Endpoints and segments. Returns null if the process has the maximum number of endpoints.
  gex_EP_t make_endpoint(gex_EP_Capabilities_t capabilities, gex_Flags_t flags);
  void destroy(gex_EP_t endpoint);
  gex_EP_t endpoint(gex_EP_Index_t index) const { return endpoints_[index].get(); }
  // The library allocates the memory if `address` is null.
  Result<gex_Segment_t> make_segment(void* address, std::size_t size);
  Result<gex_Segment_t> make_device_segment(gex_MK_t kind, void* address, std::size_t size);
  void bind(gex_EP_t endpoint, gex_Segment_t segment);
  // In place of a segment where peers may name all memory.
  gex_Segment_t make_segment_of_everything();
  void destroy(gex_Segment_t segment);
  // The largest segment that this rank can allocate, and the largest that every rank can allocate.
  std::size_t most_local() const;
  std::size_t most_global();

  // Collective. Makes the bound segments of the endpoints known to the members of the team.
  void publish(Team& team, std::span<const gex_EP_t> endpoints, CallName call);
  // The member's segment as this process maps it. Size 0: loads and stores do not reach it.
  gondwana_gex_member member(std::uint32_t process, gex_EP_Index_t endpoint) const;
  // The process must be within reach.
  SegmentDirectory& directory(std::uint32_t process) const;
  bool reaches(std::uint32_t process) const {
    return process == rank() || engine_->rma().reach().covers(Rank(process));
  }
  // Whether this process reaches the memory that calls may name there by loads and stores.
  bool reaches_memory(std::uint32_t process) const {
    return has_everything_ ? process == rank() : reaches(process);
  }
  // The memory of processes out of reach.
  RemoteMemory& remote() { return remote_; }
  std::uint32_t node_of(std::uint32_t process);
  // The ranks of this node, in order.
  const std::vector<RankInfo>& neighbors() const { return neighbors_; }
  // The machines of the job, in the order of their first ranks.
  const Hosts& hosts() const { return hosts_; }

  // Teams.
  struct Membership {
    std::vector<std::uint32_t> processes;
    std::vector<gex_EP_Index_t> indices;
    std::vector<StagedPlace> places;
    std::uint32_t rank = 0;
  };
  Team& add_team(Membership membership, gex_Flags_t flags);
  void remove(Team& team);
  Team& pair(gex_EP_t local, gex_EP_Index_t remote);
  // The resources of the staged collectives.
  const CollectiveResources& staged() const { return staged_; }
  // Takes the scratch of this member for a new team.
  StagedPlace take_scratch(CallName call);
  std::uint64_t arena_offset(MutableBytes pages) const;

  // Any thread that polls advances the operation until it is complete.
  void start(std::shared_ptr<Operation> operation);
  // Receives messages and advances operations. Returns the number of messages.
  std::uint32_t poll();
  // Polls until nothing is found, at most once for each rank that sends: one poll receives of one.
  void poll_for_all();
  // As poll(), but the next polls may be cheap (quiet_polls.hpp).
  void poll_in_loop();
  // For calls that test without waiting. `found`: the test found what the program may wait for.
  void note_poll(bool found, std::uint32_t polls = 1) {
    if (found)
      engine_->waiter().polls().found();
    else
      engine_->waiter().polls().failed(polls);
  }
  void move_operations();
  // Whether an operation waits for another node.
  bool operations_wait_for_network() const {
    return wait_for_network_.load(std::memory_order_relaxed);
  }
  bool has_operations() const { return operations_waiting_.load(std::memory_order_relaxed) != 0; }
  // Waits until done() holds. The caller polls first and sleeps later.
  template <typename Done>
  void wait(CallName call, const Done& done) {
    for (bool is_done = false; !is_done;) {
      const bool on_network = operations_wait_for_network();
      const WaitReason why{.call = call, .on_program_memory = true, .on_network = on_network};
      engine_->waiter().until(why, [&] {
        is_done = done();
        if (is_done) return true;
        move_operations();
        is_done = done();
        return is_done || operations_wait_for_network() != on_network;
      });
    }
  }

 private:
  void copy_by_kind(CallName call, void* to, const void* from, std::size_t size) const;
  void fill(Team& team);
  void show(gex_EP_t endpoint);
  void learn_segments(Team& team, std::span<const gex_EP_t> endpoints, CallName call);
  CollectiveResources staged_resources();
  // The scratch of a process in the first team.
  StagedPlace first_place(std::uint32_t process);
  std::uint64_t offset_in_segment(const Team& team, Bytes memory) const;
  std::unique_ptr<StagedCollectives> make_collectives(const Team& team,
                                                      std::vector<StagedPlace> places);
  // In segment.cpp.
  std::optional<std::size_t> shared_offset(gondwana_gex_segment& segment) const;
  Result<void> take_over(gondwana_gex_segment& segment);
  void give_back(const SegmentPages& pages);
  Result<void> wait_for_agent(const gondwana_gex_segment& segment);

  Engine* engine_;
  ThreadMode threads_;
  bool checks_;
  Settings settings_;
  bool inline_path_;
  bool has_everything_;
  bool has_devices_;
  std::size_t most_plain_medium_;
  std::size_t most_plain_long_;
  RemoteMemory remote_;
  CollectiveResources staged_;
  ScratchSpace scratch_space_;
  std::vector<RankInfo> neighbors_;
  std::uint64_t machine_;
  Hosts hosts_;
  std::unique_ptr<gondwana_gex_client> client_;
  std::array<std::unique_ptr<gondwana_gex_endpoint>, most_endpoints> endpoints_;
  Team* world_ = nullptr;

  mutable std::mutex mutex_;  // guards the next three members
  std::list<std::unique_ptr<gondwana_gex_segment>> segments_;
  std::list<std::unique_ptr<Team>> teams_;
  std::map<std::pair<gex_EP_Index_t, gex_EP_Index_t>, std::unique_ptr<Team>> pairs_;

  std::atomic<std::uint32_t> operations_waiting_{0};
  std::atomic<bool> wait_for_network_{false};
  std::mutex operations_mutex_;  // held by the thread that advances operations
  std::vector<std::shared_ptr<Operation>> operations_;
};

// The door of this process, or of this thread in tests that run ranks as threads.
Door& door();
// Null before gex_Client_Init, for the calls that are allowed then.
Door* find_door();

// Prints the message and ends the job. For errors that have no GASNet code.
[[noreturn, gnu::cold]] void give_up(CallName call, const std::string& sentence);

// `what`: "rank", "root" or "image".
[[noreturn, gnu::cold]] void refuse_member(const Team& team, gex_Rank_t rank, CallName call,
                                           const char* what);

// Checks a rank that a call names, in every build.
inline void check_member(const Team& team, gex_Rank_t rank, CallName call,
                         const char* what = "rank") {
  if (rank >= team.size) [[unlikely]]
    refuse_member(team, rank, call, what);
}

inline bool Team::reaches(std::uint32_t member) const {
  return member >= size || door->reaches_memory(processes[member]);
}

template <staged::Step S>
void Team::wait_for(CallName call, S& step) {
  door->wait(call, [&] { return step.advance(); });
  if (collectives->has_levels()) door->engine().remote().depart(call);
}

template <typename T>
std::vector<T> Team::exchange(CallName call, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(size);
  exchange(call, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

}  // namespace gondwana::gasnet
