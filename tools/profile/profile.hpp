// The profile of this process: its counting periods, and the destination of the counts.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "report.hpp"
#include "settings.hpp"
#include "tables.hpp"

namespace gondwana::profile {

// A session lasts from the first shmem_init to the last shmem_finalize. A process may have several
// sessions, each with its own report.
class Profile {
 public:
  static constexpr std::uint64_t off = 0;          // no session, or after shmem_pcontrol(0)
  static constexpr std::uint64_t nowhere = ~0ULL;  // the session of a thread without a table

  // Never destroyed: exit handlers of the program may still make calls.
  static Profile& instance();

  // The number of the session if calls are counted now, else `off`.
  static std::uint64_t counted_session() { return counted.load(std::memory_order_relaxed); }

  // The counters that the calling thread uses from now on.
  Counters lease() { return has_tables() ? tables_.slots.lease() : Counters(); }
  // Null unless paths are requested.
  PathTable* lease_paths() { return settings_->paths ? tables_.paths.lease() : nullptr; }
  void give_back(std::uint64_t session, Counters counters, PathTable* paths);

  // Whether calls are counted; otherwise they are only traced.
  bool has_tables();

  // The calling thread begins or ends a named region.
  void begin_region(const char* name) { RankRegions::begin(counted_session(), name); }
  void end_region() { tables_.regions.end(counted_session()); }

  // The library was started, perhaps not for the first time, by call `number`, which began at
  // `began`.
  void enter(std::size_t number, const Stopwatch& began);
  bool is_entered() const { return opens_ > 0; }

  // GASNet-EX is about to start. It has no final call that all ranks make.
  void enter_gasnet() { has_gasnet_ = true; }
  bool has_gasnet() const { return has_gasnet_; }
  // gasnet_exit: reports what all ranks have counted if they all exit now; otherwise acts as
  // abandon().
  void exit_gasnet(int status);

  // A call of shmem_finalize. Returns true on the last one: the session has then ended with a
  // report, and only the library's own finalize is left. Collective.
  bool leave(std::size_t number);
  // A rank exits without shmem_finalize: closes all open sessions.
  void leave_at_exit();
  // The job ends now, whatever the other ranks are doing. Call `number` ends it; `why` names that
  // call.
  void abandon(std::size_t number, const std::string& why);

  // 0 or less: stops counting. 1: counts. 2: counts, and reports the counts of this rank so far.
  void set_level(int level);

 private:
  void open(const Stopwatch& began);
  void allocate_tables();
  bool is_open_here() const { return opens_ > 0 && process_ == ::getpid(); }
  bool all_leave() const;
  // Whether the ranks report their counts together.
  bool shares_tables() { return has_tables() && !settings_->each; }
  void end_session(std::size_t number, std::uint64_t began);
  void end_counting(std::size_t number, std::uint64_t began);
  void end_alone(std::size_t number, std::uint64_t began);
  Report own_report(const std::string& end);
  std::string since_begin(double seconds) const;
  void switch_counting();

  static inline constinit std::atomic<std::uint64_t> counted{off};

  int opens_ = 0;  // start calls without a matching end
  std::uint64_t session_ = off;
  bool counting_ = true;
  bool has_gasnet_ = false;
  std::size_t last_call_ = 0;         // used if a program exits without shmem_finalize
  std::string first_call_;            // the call that began the session
  std::optional<Settings> settings_;  // set once they have been read
  Tables tables_;
  int rank_ = 0;       // the library does not know it after shmemx_leave
  pid_t process_ = 0;  // a forked child is not the rank
};

// Counts a call that began at `began` and took `passed` ticks.
void record(std::size_t number, std::uint64_t began, std::uint64_t passed);

}  // namespace gondwana::profile
