// The profile of this process: when it counts, and what is done with the counts.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "clock.hpp"
#include "rank_paths.hpp"
#include "rank_regions.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "thread_slots.hpp"

namespace gondwana::profile {

// A session lasts from the first shmem_init to the last shmem_finalize; a process may have several,
// each with a report of its own.
class Profile {
 public:
  static constexpr std::uint64_t off = 0;          // no session, or shmem_pcontrol(0)
  static constexpr std::uint64_t nowhere = ~0ULL;  // the session of a thread that has no table

  // Never destroyed: exit handlers of the program may still call.
  static Profile& instance();

  // The number of the session if calls are counted now, else `off`.
  static std::uint64_t counted_session() { return counted.load(std::memory_order_relaxed); }

  // Where the calling thread counts from now on.
  Counters lease() { return has_tables() ? slots_.lease() : Counters(); }
  // Nothing where paths are not asked for.
  PathTable* lease_paths() { return settings_->paths ? paths_.lease() : nullptr; }
  void give_back(std::uint64_t session, Counters counters, PathTable* paths);

  // Whether calls are counted at all; else they are only traced.
  bool has_tables();

  // The calling thread names what it does from now on, and no longer.
  void begin_region(const char* name) { RankRegions::begin(counted_session(), name); }
  void end_region() { regions_.end(counted_session()); }

  // The library has started, or been asked to once more, by call `number`, which began then.
  void enter(std::size_t number, const Stopwatch& began);
  bool is_entered() const { return opens_ > 0; }

  // GASNet-EX is about to start. It has no last call that all ranks make.
  void enter_gasnet() { has_gasnet_ = true; }
  bool has_gasnet() const { return has_gasnet_; }
  // gasnet_exit: reports what all ranks have counted if they all end now, else as abandon() does.
  void exit_gasnet(int status);

  // The next shmem_finalize. True where it is the last one: then the session has ended, with a
  // report, but for the library's own finalize. Collective.
  bool leave(std::size_t number);
  // A rank that ends without shmem_finalize: all that are open are meant.
  void leave_at_exit();
  // The job ends now, whatever the others are doing, by call `number`; `why` is that call.
  void abandon(std::size_t number, const std::string& why);

  // 0 or less: counts no more. 1: counts. 2: counts, and reports what this rank has so far.
  void set_level(int level);

 private:
  void open(const Stopwatch& began);
  void allocate_tables();
  bool is_open_here() const { return opens_ > 0 && process_ == ::getpid(); }
  bool all_leave() const;
  void end_session(std::size_t number, std::uint64_t began);
  void end_counting(std::size_t number, std::uint64_t began);
  std::string since_begin(double seconds) const;
  void switch_counting();
  RankCounts scaled(RankCounts counts) const;
  std::vector<RankCounts> all_counts() const;
  std::string own_details(double nanoseconds_per_tick);
  void deliver(const Report& report) const;
  double seconds_of_longest(const std::vector<RankCounts>& counts) const;

  static inline constinit std::atomic<std::uint64_t> counted{off};

  int opens_ = 0;  // of calls that start the library, not yet matched
  std::uint64_t session_ = off;
  bool counting_ = true;
  bool has_gasnet_ = false;
  std::size_t last_call_ = 0;         // of a program that ends without it
  std::string first_call_;            // that began the session
  std::optional<Settings> settings_;  // once they were read
  Stopwatch stopwatch_;
  ThreadSlots slots_;
  RankPaths paths_;
  RankRegions regions_;
  pid_t process_ = 0;  // a forked child is not the rank
};

// Counts a call that began then and took that many ticks.
void record(std::size_t number, std::uint64_t began, std::uint64_t passed);

}  // namespace gondwana::profile
