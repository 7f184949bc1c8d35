#include "front/shmem/setup.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "bootstrap/join.hpp"
#include "bootstrap/protocol.hpp"
#include "core/machine.hpp"
#include "front/shmem/checks.hpp"
#include "front/shmem/greeting.hpp"
#include "memory/globals.hpp"

namespace gondwana::shmem {

constinit Running running;

namespace {

// What the process learns before main(), while it has one thread, and keeps for as long as it
// lives.
struct Place {
  Membership membership;
  std::shared_ptr<NodeMemory> memory;
  ProgramImage image;
  std::optional<Error> failure;  // told by shmem_init, not before: the program may never call it
  int inits = 0;                 // matching shmem_init calls that are open
  int thread_level = SHMEM_THREAD_SINGLE;
  std::thread::id main_thread;  // that initialised
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Door> door;
  bool forked = false;                   // this is a child of the rank, not the rank
  std::atomic<bool> leaves_job = false;  // by shmem_global_exit, not by shmem_finalize
  std::recursive_mutex last_turn;        // of the thread that leaves; never given back
  bool finalized = false;
};

// Never destroyed: exit handlers of the program may still call in.
Place& place() {
  static Place& instance = *new Place;
  return instance;
}

const char* environment_value(const char* name) {
  return std::getenv(name);
}

std::uint32_t own_rank() {
  return index(place().membership.rank);
}

Result<void> take_place(Place& self) {
  self.image = inspect_program("libgondwana_shmem.so");
  Result<Membership> membership = join(environment_value);
  if (!membership) return membership.error();
  self.membership = *std::move(membership);
  // Programs that this one starts are not this rank.
  ::unsetenv(protocol::join_fd_variable);
  if (const std::string& identity = self.membership.identity; !identity.empty())
    ::setenv(protocol::joined_variable, identity.c_str(), 1);
  Result<std::shared_ptr<NodeMemory>> memory =
      NodeMemory::attach(self.membership.plan, self.membership.control, self.membership.rank,
                         self.membership.next_arena);
  if (!memory) return memory.error();
  self.memory = *std::move(memory);
  if (self.image.links_library) {
    if (const Result<void> shared =
            share_globals(self.image.globals, self.memory->own_arena(), NodePlan::globals_offset);
        !shared)
      return shared.error();
  } else {
    self.image.globals = {};  // loaded late: the program's variables stay its own
  }
  self.memory->forget_own_arena();
  self.membership.control.reset();
  return {};
}

// A child that is forked gets its own copy of the variables; until it has it, the parent waits.
// The pipe is kept here because the two handlers that use it take no argument.
struct ForkPipe {
  int read_end = -1;
  int write_end = -1;
};

ForkPipe& fork_pipe() {
  static ForkPipe instance;
  return instance;
}

void before_fork() {
  int ends[2] = {-1, -1};  // NOLINT(modernize-avoid-c-arrays): pipe2 wants one
  if (::pipe2(ends, O_CLOEXEC) == 0) fork_pipe() = {ends[0], ends[1]};
}

void after_fork_in_parent() {
  ForkPipe& pipe = fork_pipe();
  ::close(pipe.write_end);
  char byte = 0;
  while (::read(pipe.read_end, &byte, 1) < 0 && errno == EINTR) {
  }
  ::close(pipe.read_end);
  pipe = {};
}

void after_fork_in_child() {
  make_globals_private(place().image.globals);
  running = {};  // the engine is the parent's, and stays as it is
  place().forked = true;
  ::close(fork_pipe().read_end);
  ::close(fork_pipe().write_end);  // end of file: the parent goes on
}

// Our guardian sees how a rank ends and judges it. Others may take an end for a crash, or leave the
// peers of a rank that gave up waiting for ever.
void take_leave(int status, void* /*unused*/) {
  const Place& self = place();
  if (self.forked) return;
  const LauncherLink& launcher = self.membership.launcher;
  const bool has_finished = running.any() == nullptr || self.leaves_job;
  if (has_finished || status == 0 || !launcher.is_foreign()) return launcher.leave();
  fmt::print(stderr,
             "gondwana: rank {} ends with status {} before shmem_finalize; the job is ended\n",
             own_rank(), status);
  [[maybe_unused]] const Result<void> told = launcher.end_job(status);
}

// Before main() and before the constructors of the program itself.
[[gnu::constructor]] void open_door() {
  Place& self = place();
  if (const Result<void> taken = take_place(self); !taken) {
    self.failure = taken.error();
    return;
  }
  ::on_exit(take_leave, nullptr);  // the first to be registered, so the last to run
  if (!self.image.globals.empty()) {
    ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  }
}

[[noreturn]] void say_and_end(const std::string& sentence) {
  // Who did not join does not know its rank.
  const std::string who = place().failure ? "" : fmt::format("rank {}: ", own_rank());
  fmt::print(stderr, "gondwana: {}{}\n", who, sentence);
  std::fflush(nullptr);
  [[maybe_unused]] const Result<void> told = place().membership.launcher.end_job(1);
  std::_Exit(1);
}

// A fault that all ranks share is said by the first that finds it; the others leave it the time.
[[noreturn]] void fail_together(CallName name, const Error& error) {
  const Place& self = place();
  const bool first = self.memory == nullptr || self.memory->header().complaints.fetch_add(1) == 0;
  if (!first) {
    std::this_thread::sleep_for(std::chrono::seconds(5));
    std::_Exit(1);
  }
  say_and_end(fmt::format("{}: {}", name, error.text));
}

Result<std::unique_ptr<Engine>> start_engine(CallName name) {
  Place& self = place();
  if (self.failure) return *self.failure;
  Result<Options> options = read_options(environment_value);
  if (!options) return options.error();
  Engine::Setup setup;
  setup.rank = self.membership.rank;
  setup.ranks = self.membership.ranks;
  setup.memory = self.memory;
  setup.options = *options;
  setup.globals = self.image.globals;
  setup.program_id = self.image.id;
  setup.call = name;
  if (self.thread_level == SHMEM_THREAD_MULTIPLE) setup.threads = Threads::many;
  return Engine::create(std::move(setup));
}

// From here on no call finds an engine. What is left of it is freed.
void close_door() {
  Place& self = place();
  running.door = running.watched = nullptr;
  self.door.reset();  // takes its shortcuts out of `running`
  self.engine.reset();
}

// A program that ends well without shmem_finalize is finalized here; one that fails is not: its
// peers may be anywhere, and the launcher ends them.
void finalize_at_exit(int status, void* /*unused*/) {
  if (running.any() == nullptr || status != 0 || place().leaves_job) return;
  place().inits = 1;
  finalize({*running.any(), "exit"});
}

// What rank 0 says for all.
void greet() {
  fmt::print("{}", greeting(place().engine->options(), environment_value));
  std::fflush(stdout);
  for (const std::string& sentence : unknown_variables(environ))
    fmt::print(stderr, "gondwana: warning: {}\n", sentence);
}

}  // namespace

namespace {

[[noreturn]] void refuse_call(CallName name) {
  const Place& self = place();
  if (self.forked)
    say_and_end(
        fmt::format("{}: called in a child process that the rank forked; only the rank "
                    "itself is part of the job",
                    name));
  say_and_end(fmt::format("{}: called {}", name,
                          self.finalized ? "after shmem_finalize" : "before shmem_init"));
}

// SERIALIZED and MULTIPLE let every thread call.
void examine_thread(CallName name) {
  const Place& self = place();
  if (self.thread_level >= SHMEM_THREAD_SERIALIZED) return;
  if (std::this_thread::get_id() == self.main_thread) return;
  const bool single = self.thread_level == SHMEM_THREAD_SINGLE;
  say_and_end(
      fmt::format("{}: called by another thread than the one that initialised the library, "
                  "whose thread level is SHMEM_THREAD_{}; ask shmem_init_thread for "
                  "SHMEM_THREAD_SERIALIZED or SHMEM_THREAD_MULTIPLE",
                  name, single ? "SINGLE" : "FUNNELED"));
}

}  // namespace

Door& watched_door(CallName name) {
  if (running.watched == nullptr) refuse_call(name);
  examine_thread(name);
  return *running.watched;
}

Door& watched_door(shmem_ctx_t handle, CallName name) {
  Door& door = watched_door(name);
  const Context* context = door.contexts().find(handle);
  if (context == nullptr) refuse_context(name);
  examine_owner({door, name}, *context);
  return door;
}

void refuse_context(CallName name) {
  give_up(name, "the context is SHMEM_CTX_INVALID, was destroyed or was never made");
}

void give_up(Lane& lane, CallName name) {
  const std::optional<Error> error = lane.take_error();
  give_up(name, error ? error->text : "failed");
}

void give_up(CallName name, const std::string& sentence) {
  say_and_end(fmt::format("{}: {}", name, sentence));
}

void give_up_together(CallName name, const std::string& sentence) {
  fail_together(name, {Errc::invalid_argument, sentence});
}

namespace {

// The first of several calls decides on the level; they are collective.
void start(CallName name, int thread_level) {
  Place& self = place();
  if (self.forked) refuse_call(name);
  if (self.inits++ > 0) return;
  self.thread_level = thread_level;
  Result<std::unique_ptr<Engine>> engine = start_engine(name);
  if (!engine) fail_together(name, engine.error());
  self.engine = *std::move(engine);
  self.door = std::make_unique<Door>(*self.engine, running.shortcuts);
  self.main_thread = std::this_thread::get_id();
  (self.engine->options().checks ? running.watched : running.door) = self.door.get();
  self.finalized = false;
  if (own_rank() == 0) greet();
  static const int registered = ::on_exit(finalize_at_exit, nullptr);
  static_cast<void>(registered);
}

}  // namespace

void init(CallName name) {
  start(name, SHMEM_THREAD_SINGLE);
}

// Unlike shmem_init it may be called again and again, and nothing need match it.
void start_pes(CallName name, int /*pes*/) {
  if (place().inits == 0) start(name, SHMEM_THREAD_SINGLE);
}

int init_thread(CallName name, int requested, int* provided) {
  if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE) return 1;
  start(name, requested);
  *provided = place().thread_level;
  return 0;
}

void query_thread(Caller /*caller*/, int* provided) {
  *provided = place().thread_level;
}

namespace {

// A program may leave the last finalize to exit(): to the others that is the same call.
void examine_end(const Caller& caller) {
  const Place& self = place();
  const bool by_exit = std::string_view(caller.name) == "exit";
  if (!by_exit && std::this_thread::get_id() != self.main_thread)
    give_up(caller.name, "called by another thread than the one that initialised the library");
  examine_collective({caller.door, "shmem_finalize"}, caller.engine.world(), "");
  const int left = self.inits == 1 ? caller.door.contexts().count_private() : 0;
  if (left > 0)
    fmt::print(stderr,
               "gondwana: warning: rank {}: {}: {} with SHMEM_CTX_PRIVATE {} not destroyed\n",
               own_rank(), caller.name, left == 1 ? "a context" : fmt::format("{} contexts", left),
               left == 1 ? "is" : "are");
}

}  // namespace

void query_initialized(CallName /*name*/, int* initialized) {
  *initialized = running.any() != nullptr ? 1 : 0;
}

void finalize(Caller caller) {
  if (place().leaves_job) return;  // called by an exit handler; the peers are not coming
  if (caller.is_watched()) examine_end(caller);
  Place& self = place();
  if (self.inits == 1) caller.door.contexts().quiet_all();  // they end with the library
  check(caller, caller.engine.barrier(caller.engine.world(), caller.name));
  if (--self.inits > 0) return;
  caller.engine.announce_state(RankState::finalized);
  close_door();
  self.finalized = true;
}

namespace {

// By which launchers end the ranks of a job: one that ends already is to end in its own way.
void ignore_sigterm() {
  struct sigaction present{};
  if (::sigaction(SIGTERM, nullptr, &present) == 0 && present.sa_handler == SIG_DFL)
    std::signal(SIGTERM, SIG_IGN);
}

}  // namespace

// The engine stays as it is: other threads may be in calls, and exit handlers may make some.
void global_exit(Caller /*caller*/, int status) {
  Place& self = place();
  self.last_turn.lock();  // of several threads, one leaves
  self.leaves_job = true;
  std::fflush(nullptr);
  ignore_sigterm();
  [[maybe_unused]] const Result<void> told = self.membership.launcher.end_job(status);
  std::exit(status);
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
