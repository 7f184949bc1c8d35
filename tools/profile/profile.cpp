#include "profile.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "gathered_texts.hpp"
#include "pshmem.h"
#include "report.hpp"

namespace gondwana::profile {
namespace {

// More threads of a rank are counted too, but are missing if a rank ends the job at once.
constexpr std::size_t slots_of_threads = 16;

constexpr double seconds_to_leave = 10;

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

// Writes to `file`, or to standard error if it is empty.
void deliver(const Report& report, const std::string& file) {
  if (file.empty()) return say(as_text(report));
  const Result<void> written = write_report(report, file);
  if (written)
    say(fmt::format("gondwana profile: {}; written to {}\n", report.title, file));
  else
    say(fmt::format("gondwana profile: {}; the report follows\n{}", written.error().text,
                    as_text(report)));
}

std::size_t slots_requested() {
  int level = SHMEM_THREAD_SINGLE;
  pshmem_query_thread(&level);
  return level >= SHMEM_THREAD_SERIALIZED ? slots_of_threads : 1;
}

// If several ranks find the same fault, the first one reports it and ends the job for all.
[[noreturn]] void give_up(const Error& error) {
  if (pshmem_my_pe() != 0) std::this_thread::sleep_for(std::chrono::seconds(1));
  say(fmt::format("gondwana profile: {}\n", error.text));
  pshmem_global_exit(1);
}

void at_exit(int status, void* /*unused*/) {
  if (status == 0) Profile::instance().leave_at_exit();
}

}  // namespace

Profile& Profile::instance() {
  static Profile& profile = *new Profile;
  return profile;
}

// Includes the time of the first call, which is counted.
std::string Profile::since_begin(double seconds) const {
  return fmt::format("{} since {} began", duration(seconds * 1e9), first_call_);
}

void Profile::give_back(std::uint64_t session, Counters counters, PathTable* paths) {
  if (session != session_ || opens_ == 0 || !has_tables()) return;
  tables_.slots.give_back(counters);
  if (paths != nullptr) tables_.paths.give_back(paths);
}

void Profile::enter(std::size_t number, const Stopwatch& began) {
  if (opens_++ == 0) {
    first_call_ = number < first_gasnet_call ? "shmem_init" : call_names[number];
    last_call_ =
        number < first_armci_call ? number_of("shmem_finalize") : number_of("ARMCI_Finalize");
    open(began);
  }
  record(number, began.began_ticks(), began.passed_ticks());
}

void Profile::open(const Stopwatch& began) {
  if (has_tables()) allocate_tables();
  if (process_ == 0) {
    counting_ = settings_->counting;
    ::pthread_atfork(nullptr, nullptr, [] { counted.store(off, std::memory_order_relaxed); });
    ::on_exit(at_exit, nullptr);  // registered after the library's handler, so it runs before it
  }
  process_ = ::getpid();
  ++session_;
  tables_.stopwatch = began;
  switch_counting();
}

bool Profile::has_tables() {
  if (!settings_) {
    Result<Settings> settings = read_settings(own_environment());
    if (!settings) give_up(settings.error());
    settings_ = *std::move(settings);
  }
  return settings_->tables;
}

void Profile::allocate_tables() {
  rank_ = pshmem_my_pe();
  tables_.paths.clear();
  tables_.regions.clear();
  const auto ranks = static_cast<std::size_t>(pshmem_n_pes());
  if (settings_->each) {
    if (tables_.slots.allocate_private(slots_requested())) return;
    give_up({Errc::out_of_memory,
             fmt::format("no memory for {} bytes of counters", tables_.slots.bytes())});
  }
  if (tables_.slots.allocate(slots_requested(), settings_->matrix ? ranks : 0)) return;
  give_up({Errc::out_of_memory,
           fmt::format("the symmetric heap has no space for {} bytes of counters; raise "
                       "SHMEM_SYMMETRIC_SIZE",
                       tables_.slots.bytes())});
}

void Profile::switch_counting() {
  counted.store(counting_ && opens_ > 0 ? session_ : off, std::memory_order_relaxed);
}

void Profile::set_level(int level) {
  counting_ = level > 0;
  switch_counting();
  if (level != 2 || opens_ == 0 || !has_tables()) return;
  say(as_text(own_report(" so far")));
}

Report Profile::own_report(const std::string& end) {
  return {fmt::format("rank {}{}, {}", rank_, end, since_begin(tables_.stopwatch.seconds())),
          tables_.slots.peers(),
          rank_,
          tables_.slots.of_threads(),
          {tables_.scaled(tables_.slots.own_counts())}};
}

bool Profile::leave(std::size_t number) {
  if (opens_ > 1) {
    --opens_;
    return false;
  }
  end_session(number, ticks());
  return true;
}

void Profile::leave_at_exit() {
  if (!is_open_here()) return;
  if (!has_gasnet_ || !shares_tables()) return end_session(last_call_, ticks());
  if (all_leave()) return end_session(number_of("gasnet_exit"), ticks());
  abandon(number_of("gasnet_exit"), "ended with status 0 while others continued");
}

void Profile::exit_gasnet(int status) {
  if (!is_open_here()) return;
  constexpr std::size_t number = number_of("gasnet_exit");
  const std::uint64_t began = ticks();
  if (!shares_tables() || (status == 0 && all_leave())) return end_session(number, began);
  abandon(number, fmt::format("called gasnet_exit({})", status));
}

// Like the library at exit: other ranks may arrive later or never.
bool Profile::all_leave() const {
  constexpr std::chrono::milliseconds longest{50};
  tables_.slots.note_leaving();
  const auto ranks = static_cast<std::uint64_t>(pshmem_n_pes());
  const Stopwatch waiting;
  for (std::chrono::milliseconds pause{1}; tables_.slots.leaving() < ranks;
       pause = std::min(2 * pause, longest)) {
    if (waiting.seconds() > seconds_to_leave) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

void Profile::end_session(std::size_t number, std::uint64_t began) {
  if (shares_tables()) return end_counting(number, began);
  if (has_tables()) return end_alone(number, began);
  opens_ = 0;
  switch_counting();
}

// Other ranks may have left or died, or may never end.
void Profile::end_alone(std::size_t number, std::uint64_t began) {
  record(number, began, ticks() - began);
  opens_ = 0;
  switch_counting();
  say(as_text(own_report("")));
  if (!has_gasnet_) tables_.slots.free();
}

void Profile::end_counting(std::size_t number, std::uint64_t began) {
  pshmem_barrier_all();  // the ranks wait here instead of in shmem_finalize
  record(number, began, ticks() - began);
  opens_ = 0;
  switch_counting();
  tables_.slots.publish(tables_.stopwatch.nanoseconds_per_tick(), tables_.stopwatch.seconds());
  pshmem_barrier_all();
  std::vector<std::string> details;
  if (settings_->paths)
    details = gather_texts(tables_.own_details(tables_.stopwatch.nanoseconds_per_tick()));
  if (pshmem_my_pe() == 0) {
    std::vector<RankCounts> counts = tables_.all_counts();
    for (std::size_t rank = 0; rank < details.size(); ++rank)
      counts[rank].details = std::move(details[rank]);
    deliver({fmt::format("{} ranks, {}", counts.size(),
                         since_begin(tables_.seconds_of_longest(counts))),
             tables_.slots.peers(), 0, tables_.slots.of_threads(), std::move(counts)},
            settings_->file);
  }
  if (!has_gasnet_) return tables_.slots.free();
  // The tables stay: other threads of the client may be in calls.
  pshmem_barrier_all();  // no rank ends the job before the report is written
}

void Profile::abandon(std::size_t number, const std::string& why) {
  if (!is_open_here()) return;
  record(number, ticks(), 0);
  opens_ = 0;
  switch_counting();
  if (!has_tables()) return;
  if (!shares_tables()) return say(as_text(own_report(fmt::format(", which {}", why))));
  if (!tables_.slots.claim_report()) {
    // Another rank is writing the report; ending the job now would cut it off.
    std::this_thread::sleep_for(std::chrono::seconds(5));
    return;
  }
  std::vector<RankCounts> counts = tables_.all_counts();
  const int me = pshmem_my_pe();
  RankCounts& own = counts[static_cast<std::size_t>(me)];
  RankCounts now = tables_.slots.own_counts();
  own.words = std::move(now.words);
  own.devices = now.devices;
  if (settings_->paths) own.details = tables_.own_details(own.nanoseconds_per_tick);
  deliver({fmt::format("{} ranks, until rank {} {}, {}", counts.size(), me, why,
                       since_begin(tables_.seconds_of_longest(counts))),
           tables_.slots.peers(), 0, tables_.slots.of_threads(), std::move(counts)},
          settings_->file);
}

}  // namespace gondwana::profile
