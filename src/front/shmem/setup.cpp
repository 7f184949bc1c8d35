#include "front/shmem/setup.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <tuple>

#include "core/print_error.hpp"
#include "front/shmem/buffers.hpp"
#include "front/shmem/checks.hpp"
#include "front/shmem/deaths.hpp"
#include "front/shmem/streams.hpp"
#include "memory/job_end.hpp"
#include "process/greeting.hpp"
#include "process/prefault.hpp"
#include "process/process.hpp"

namespace gondwana::shmem {

constinit Running running;

namespace {

// Called from a signal handler when the job ends, and when a rank has died in a job that continues.
// Later calls find no shortcut and no door, and reach watched_door().
void divert_calls() {
  if (Door* door = running.door) {
    running.watched = door;
    door->watch();
    running.door = nullptr;
    for (Shortcut& shortcut : running.used_shortcuts()) shortcut.reach_none();
  }
  if (Door* door = running.watched) {
    const NodeMemory& memory = door->engine().memory();
    const std::uint32_t deaths = memory.header().deaths.load(std::memory_order_acquire);
    // Pairs with the guardian, which empties the memory of the dead afterwards.
    memory.page(door->engine().rank()).heeded.store(deaths, std::memory_order_release);
  }
}

// Once all ranks live again, small calls take the fast path again. A signal may come meanwhile.
void restore_calls(Door& door) {
  Engine& engine = door.engine();
  const NodeHeader& node = engine.memory().header();
  const DeathList& deaths = engine.waiter().losses().list();
  const std::uint32_t count = deaths.size();
  if (node.replacement.load(std::memory_order_relaxed) == Replacement::none) return;
  if (engine.threads() == Threads::many || deaths.has_any(engine.ranks())) return;
  engine.waiter().losses().heed(count);
  door.contexts().restore_shortcuts();
  running.door = &door;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (deaths.size() != count || purposeful_end(node)) divert_calls();
}

struct Own {
  int inits = 0;  // shmem_init calls without a matching shmem_finalize
  int thread_level = SHMEM_THREAD_SINGLE;
  std::thread::id main_thread;  // called shmem_init
  std::unique_ptr<Door> door;
  bool finalized = false;
  std::atomic<bool> is_ending = false;         // a thread is in the last shmem_finalize
  std::atomic<std::thread::id> ending_thread;  // the thread in it
};

// Never destroyed: exit handlers of the program may still call the library.
Own& own() {
  static Own& instance = *new Own;
  return instance;
}

// Releases everything that the program left, so that the next shmem_init finds a clean engine.
void leave_nothing(Engine& engine, CallName call) {
  engine.collectives().end_all_teams(call);
  engine.symmetric().release_all();
}

// Called after a barrier. Later calls find no engine.
void close_door(CallName call) {
  Engine& engine = running.any()->engine();
  running.door = running.watched = nullptr;
  own().door.reset();                           // removes its shortcuts from `running`
  const bool stays = this_process().users > 1;  // another door uses the engine
  if (stays) leave_nothing(engine, call);
  release_engine();
}

// Another thread finalizes while this thread exits, so this thread waits for it. A signal handler
// that interrupts shmem_finalize cannot wait, because its thread would have to finish the call.
void await_finalize() {
  if (own().ending_thread.load() == std::this_thread::get_id())
    print_and_end(
        "exit: called by a signal handler during shmem_finalize, for which other ranks may wait; "
        "set a flag in the handler and exit afterwards");
  while (own().is_ending) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void finalize_through(const Caller& caller);

// Finalizes a program that exits with status 0 without shmem_finalize. If it fails, the launcher
// ends its peers, which may be in any call.
void finalize_at_exit(int status, void* /*unused*/) {
  if (running.any() == nullptr || status != 0 || this_process().leaves_job) return;
  if (own().is_ending) return await_finalize();
  own().inits = 1;
  finalize_through({*running.any(), "exit"});
}

// Rank 0 prints this for all ranks.
void greet() {
  const std::string door = fmt::format("{}, OpenSHMEM {}.{}", SHMEM_VENDOR_STRING,
                                       SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION);
  std::fputs(greeting(door, running.any()->engine().options(), own_environment()).c_str(), stdout);
  std::fflush(stdout);
  for (const std::string& sentence : unknown_variables(environ, "GONDWANA_"))
    print_error("gondwana: warning: {}\n", sentence);
}

// The first rank of each node prints the warning for all ranks of the node.
void report_huge_pages(const Engine& engine) {
  if (engine.rank() != engine.memory().roster().here().front()) return;
  if (const auto doubt = huge_page_warning(engine))
    print_error("gondwana: warning: rank {}: {}\n", this_process().rank(), *doubt);
}

[[noreturn]] void refuse_call(CallName name) {
  if (this_process().forked)
    print_and_end(
        fmt::format("{}: called in a child process that the rank forked; only the rank "
                    "itself is part of the job",
                    name));
  print_and_end(fmt::format("{}: called {}", name,
                            own().finalized ? "after shmem_finalize" : "before shmem_init"));
}

// With SERIALIZED and MULTIPLE, every thread may call.
void examine_thread(CallName name) {
  const Own& self = own();
  if (self.thread_level >= SHMEM_THREAD_SERIALIZED) return;
  if (std::this_thread::get_id() == self.main_thread) return;
  const bool single = self.thread_level == SHMEM_THREAD_SINGLE;
  print_and_end(
      fmt::format("{}: called by a thread other than the one that initialized the library, with "
                  "thread level SHMEM_THREAD_{}; request SHMEM_THREAD_SERIALIZED or "
                  "SHMEM_THREAD_MULTIPLE from shmem_init_thread",
                  name, single ? "SINGLE" : "FUNNELED"));
}

}  // namespace

Door& watched_door(CallName name) {
  check_for_end();
  if (running.watched == nullptr) refuse_call(name);
  Door& door = *running.watched;
  if (door.engine().options().checks)
    examine_thread(name);
  else
    restore_calls(door);
  return door;
}

Door& watched_door(shmem_ctx_t handle, CallName name) {
  Door& door = watched_door(name);
  const Context* context = door.contexts().find(handle);
  if (context == nullptr) refuse_context(name);
  if (door.engine().options().checks) examine_owner({door, name}, *context);
  return door;
}

void refuse_context(CallName name) {
  give_up(name, "the context is SHMEM_CTX_INVALID, was destroyed or was never created");
}

void note_loss(const HopelessWait& wait) {
  heed_deaths();
  running.any()->engine().default_lane().note_loss(wait.deaths);
}

void fail_call(Lane& lane, CallName name) {
  const std::optional<Error> error = lane.take_error();
  const std::uint32_t deaths = running.any()->engine().waiter().losses().list().size();
  if (deaths != 0 && (!error || error->code == Errc::peer_lost)) {
    heed_deaths();
    return lane.note_loss(deaths);
  }
  give_up(name, error ? error->text : "failed");
}

void fail_meeting(const Caller& caller) {
  fail_call(caller.lane, caller.name);
  throw HopelessWait{caller.engine.waiter().losses().list().size()};
}

void give_up(CallName name, const std::string& sentence) {
  print_and_end(fmt::format("{}: {}", name, sentence));
}

void give_up_together(CallName name, const std::string& sentence) {
  fail_together(name, {Errc::invalid_argument, sentence});
}

// The signal may come later, or have come in the middle of this.
void heed_deaths() {
  divert_calls();
}

namespace {

// Called in a forked child.
void forget_calls() {
  if (running.any() == nullptr) return;
  std::ranges::fill(running.used_shortcuts(), Shortcut());
  running.door = running.watched = nullptr;
}

int register_handlers() {
  this_process().forget_engine.push_back(&forget_calls);
  divert_calls_by(&divert_calls);
  return ::on_exit(finalize_at_exit, nullptr);
}

// Collective. The first of several calls sets the thread level.
void start(CallName name, int thread_level) {
  Own& self = own();
  if (this_process().forked) refuse_call(name);
  if (self.inits++ > 0) return;
  self.thread_level = thread_level;
  const Result<Engine*> engine = acquire_engine(
      name, thread_level == SHMEM_THREAD_MULTIPLE ? Threads::many : Threads::one_at_a_time);
  if (!engine) fail_together(name, engine.error());
  self.door = std::make_unique<Door>(**engine, running.shortcuts);
  self.main_thread = std::this_thread::get_id();
  if (const Result<void> there = prefault_heap(**engine, name); !there)
    fail_together(name, there.error());
  ((*engine)->options().checks ? running.watched : running.door) = self.door.get();
  // The signal of an earlier death has found no handler, or no door.
  static const int registered = register_handlers();
  static_cast<void>(registered);
  if ((*engine)->waiter().losses().list().size() != 0) divert_calls();
  self.finalized = false;
  if (this_process().rank() == 0) greet();
  report_huge_pages(**engine);
}

}  // namespace

void init(CallName name) {
  start(name, SHMEM_THREAD_SINGLE);
}

// Unlike shmem_init, it may be called repeatedly and needs no matching shmem_finalize.
void start_pes(CallName name, int /*pes*/) {
  if (own().inits == 0) start(name, SHMEM_THREAD_SINGLE);
}

int init_thread(CallName name, int requested, int* provided) {
  if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE) return 1;
  start(name, requested);
  *provided = own().thread_level;
  return 0;
}

// No call of this process is open now, so what is left is the parent's.
void forget_parent() {
  own().inits = 0;
  std::ignore = own().door.release();
}

void query_thread(Caller /*caller*/, int* provided) {
  *provided = own().thread_level;
}

namespace {

// A rank may leave the last shmem_finalize to exit(). Its peers see the same call.
void examine_end(const Caller& caller) {
  const Own& self = own();
  const bool by_exit = std::string_view(caller.name) == "exit";
  if (!by_exit && std::this_thread::get_id() != self.main_thread)
    give_up(caller.name, "called by a thread other than the one that initialized the library");
  examine_collective({caller.door, "shmem_finalize"}, caller.engine.teams().world(), "");
  const int left = self.inits == 1 ? caller.door.contexts().count_private() : 0;
  if (left > 0)
    print_error("gondwana: warning: rank {}: {}: {} with SHMEM_CTX_PRIVATE {} not destroyed\n",
                this_process().rank(), caller.name,
                left == 1 ? "a context" : fmt::format("{} contexts", left),
                left == 1 ? "is" : "are");
}

}  // namespace

void query_initialized(CallName /*name*/, int* initialized) {
  *initialized = running.any() != nullptr ? 1 : 0;
}

namespace {

// After a death the ranks that live meet, as they do at the end of every job that may continue
// after one: a rank may die after others have left the barrier.
template <typename Meet>
void meet_living(const Meet& meet) {
  try {
    meet();
  } catch (const HopelessWait& hopeless) {
    note_loss(hopeless);
  }
}

void finalize_through(const Caller& caller) {
  if (this_process().leaves_job) return;  // called by an exit handler; peers will not arrive
  Own& self = own();
  const bool is_last = self.inits == 1;
  self.ending_thread = std::this_thread::get_id();
  self.is_ending = is_last;
  if (is_last) end_streams(caller.name);
  if (is_last) announce_end();
  if (caller.checks_enabled()) meet_living([&] { examine_end(caller); });
  if (is_last) caller.door.contexts().quiet_all();  // contexts end with the library
  meet_living([&] {
    Team& world = caller.engine.teams().world();
    const DeathList& deaths = caller.engine.waiter().losses().list();
    if (has_dead(deaths, world)) throw HopelessWait{deaths.size()};
    check_meeting(caller, caller.engine.collectives().barrier(world, caller.name));
  });
  if (is_last) caller.engine.collectives().meet_living(caller.name);
  --self.inits;
  if (!is_last) return;
  meet_living([&] { end_buffers(caller); });
  close_door(caller.name);
  self.finalized = true;
  self.is_ending = false;
}

}  // namespace

int end_part(const Caller& caller) {
  Own& self = own();
  end_streams(caller.name);
  const DeathList& list = caller.engine.waiter().losses().list();
  caller.engine.waiter().until({.call = caller.name},
                               [&] { return list.has(caller.engine.rank()); });
  close_door(caller.name);
  self.inits = 0;
  self.finalized = true;
  return 0;
}

void finalize(CallName name) {
  const bool is_over = running.any() == nullptr && own().finalized;
  if (is_over && !this_process().forked) return;
  finalize_through(here(name));
}

void global_exit(Caller /*caller*/, int status) {
  leave_job(status);
}

void info_get_version(CallName /*name*/, int* major, int* minor) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}

void info_get_name(CallName /*name*/, char* text) {
  std::strncpy(text, SHMEM_VENDOR_STRING, SHMEM_MAX_NAME_LEN);
  text[SHMEM_MAX_NAME_LEN - 1] = '\0';
}

}  // namespace gondwana::shmem
