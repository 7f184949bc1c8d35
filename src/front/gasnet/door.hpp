// The GASNet-EX door: the objects of one process, and the state that its calls share.
//
// Most calls name an object, and every object knows its door. The other calls use door(), the door
// of this process. Tests that run ranks as threads have several doors.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "front/gasnet/device_memory.hpp"
#include "front/gasnet/directories.hpp"
#include "front/gasnet/endpoints.hpp"
#include "front/gasnet/hosts.hpp"
#include "front/gasnet/objects.hpp"
#include "front/gasnet/progress.hpp"
#include "front/gasnet/remote_memory.hpp"
#include "front/gasnet/segments.hpp"
#include "front/gasnet/settings.hpp"
#include "front/gasnet/team_table.hpp"
#include "gasnet/system.h"

namespace gondwana::gasnet {

// The thread mode of the client. The values are those of struct gondwana_gex_build.
enum class ThreadMode : std::uint32_t { seq, parsync, par };

class Door {
 public:
  struct Setup {
    Engine* engine;
    ThreadMode threads = ThreadMode::seq;
    bool checks = false;  // checks of calls: GASNET_DEBUG or GONDWANA_DEBUG
    Settings settings = {};
    bool inline_path = true;  // false: every put, get and atomic update calls the library
    bool everything = false;  // peers may address all memory: GASNET_SEGMENT_EVERYTHING
    std::uint64_t machine = this_machine();  // the machines of the job
  };

  explicit Door(const Setup& setup);
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  Engine& engine() const { return *setup_.engine; }
  bool checks() const { return setup_.checks; }
  ThreadMode threads() const { return setup_.threads; }
  const Settings& settings() const { return setup_.settings; }
  bool has_everything() const { return setup_.everything; }
  std::uint32_t rank() const { return index(engine().rank()); }
  std::uint32_t ranks() const { return engine().ranks(); }

  // Collective. Makes the client, its first endpoint and the team of all first endpoints.
  void join(const std::string& client_name, gex_Flags_t flags);
  gex_Client_t client() const { return client_.get(); }

  bool reaches(std::uint32_t process) const {
    return process == rank() || engine().rma().reach().covers(Rank(process));
  }
  // Whether loads and stores of this process reach the memory that calls may address there.
  bool reaches_memory(std::uint32_t process) const {
    return has_everything() ? process == rank() : reaches(process);
  }
  // The ranks of this node, in order.
  const std::vector<RankInfo>& neighbors() const { return neighbors_; }
  // The machines of the job, in the order of their first ranks.
  const Hosts& hosts() const { return hosts_; }

  DeviceMemory& devices() { return devices_; }
  // Operations on the memory of processes out of reach.
  RemoteMemory& remote() { return remote_; }
  Directories& directories() { return directories_; }
  Endpoints& endpoints() { return endpoints_; }
  TeamTable& teams() { return teams_; }
  Progress& progress() { return progress_; }
  Segments& segments() { return segments_; }

 private:
  Setup setup_;
  DeviceMemory devices_;
  std::unique_ptr<gondwana_gex_client> client_;
  std::vector<RankInfo> neighbors_;
  Hosts hosts_;
  RemoteMemory remote_;
  Directories directories_;
  Endpoints endpoints_;
  TeamTable teams_;
  Progress progress_;
  Segments segments_;
};

// The door of this process, or of this thread in tests that run ranks as threads.
Door& door();
// Null before gex_Client_Init. Used by calls that are allowed before it.
Door* find_door();

// Prints the message and ends the job. Used for errors that have no GASNet code.
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
  door->progress().wait(call, [&] { return step.advance(); });
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
