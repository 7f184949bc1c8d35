#include "process/process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "bootstrap/protocol.hpp"
#include "bootstrap/unique_id/unique_id_server.hpp"
#include "core/library_of.hpp"
#include "core/machine.hpp"
#include "core/print_error.hpp"
#include "core/standard_descriptors.hpp"
#include "core/static_program.hpp"
#include "memory/shown_memory.hpp"
#include "process/change_job.hpp"
#include "process/crash.hpp"
#include "process/forks.hpp"
#include "process/freeze.hpp"
#include "process/library_threads.hpp"
#include "process/message.hpp"
#include "process/open_wire.hpp"
#include "process/placement.hpp"
#include "process/replacement.hpp"
#include "process/self_start.hpp"
#include "process/standard_output.hpp"
#include "tracing/tracer.hpp"

// For gdb, which finds it by its name if the library has no types (tools/gdb/gondwana.py): the
// teams of this rank by number, the count of numbers, and the distance of two entries.
struct DebugTeams {
  const gondwana::ShownTeam* teams;
  std::uint64_t numbers;
  std::uint64_t distance = sizeof(gondwana::ShownTeam);
};
extern "C" DebugTeams gondwana_debug_teams;
[[gnu::used]] DebugTeams gondwana_debug_teams{};

namespace gondwana {

Process& this_process() {
  static Process& instance = *new Process;
  return instance;
}

namespace {

// The variables of a program that loaded the library late stay private.
ProgramImage inspect_this_program() {
  ProgramImage image = inspect_program("libgondwana_shmem.so");
  if (!image.links_library) {
    image.globals = {};
    image.parts.clear();
  }
  return image;
}

// Maps the program's variables on the arena. Threads of servers of ids wait meanwhile.
Result<void> share_variables(Process& self) {
  if (self.image.parts.empty()) return {};
  const Result<Contents> contents = prepare_variables(self);
  if (!contents) return contents.error();
  std::unique_lock<std::mutex> turn;
  if (!self.id_servers.empty()) turn = std::unique_lock(self.id_servers.front()->turn());
  Result<void> shared =
      share_globals(self.image, self.memory->own_file(),
                    self.memory->place_in_own_file() + NodePlan::globals_offset, *contents);
  self.shares_variables = self.maps_variables = static_cast<bool>(shared);
  if (shared)
    self.memory->allow_access(self.membership.rank, NodePlan::globals_offset,
                              self.image.globals.size());
  return shared;
}

Result<void> take_place(Process& self) {
  occupy_standard_descriptors();
  Result<Membership> membership =
      own_environment()(protocol::join_fd_variable) != nullptr
          ? join(own_environment())
          : count_threads_of(self, [] { return join(own_environment()); });
  if (!membership) return membership.error();
  self.membership = *std::move(membership);
  if (self.membership.server) self.id_servers.push_back(std::move(self.membership.server));
  // Programs that this process starts are not this rank.
  ::unsetenv(protocol::join_fd_variable);
  if (const std::string& identity = self.membership.identity; !identity.empty())
    ::setenv(protocol::joined_variable, identity.c_str(), 1);
  Result<std::shared_ptr<NodeMemory>> memory =
      NodeMemory::attach(self.membership.plan, self.membership.control, self.membership.rank,
                         self.membership.next_arena);
  if (!memory) return memory.error();
  self.memory = *std::move(memory);
  count_refusals(self);
  if (const Result<void> shared = share_variables(self); !shared) return shared.error();
  self.memory->forget_own_file();
  // Tools find the node by this descriptor. A guardian keeps it too. Without a guardian each rank
  // keeps it, so tools find the node whichever rank has died.
  const bool has_guardian = self.membership.launcher.descriptor() >= 0;
  if (has_guardian) self.membership.control.reset();
  return {};
}

// If this code is linked statically into a plugin, dlclose() would unmap our exit handlers. Our
// shared libraries are linked with nodelete.
void stay_loaded() {
  if (is_static_program()) return;
  const std::string plugin = library_of(reinterpret_cast<const void*>(&stay_loaded));
  if (plugin.empty()) return;
  [[maybe_unused]] void* kept = ::dlopen(plugin.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

// Runs before main() and before the constructors of the program. The C library passes it main()'s
// arguments.
[[gnu::constructor]] void begin(int count, char** words) {
  Process& self = this_process();
  self.image = inspect_this_program();
  const std::span arguments(words, static_cast<std::size_t>(count));
  Result<void> taken = become_ranks(arguments, own_environment());
  if (taken) taken = take_place(self);
  // The program may still join another job by a unique id.
  if (!taken) self.failure = taken.error();
  print_by_line(own_environment());
  stay_loaded();
  ::on_exit(take_leave, nullptr);  // registered first, so it runs last
  watch_forks();
}

// Runs before the destructors of libfabric, which follow all exit handlers.
void close_network(int /*status*/, void* /*unused*/) {
  Process& self = this_process();
  if (!self.forked && self.engine == nullptr) self.network.reset();
}

// Called for the first engine.
Result<void> open_network(Process& self, const Options& options) {
  if (self.network != nullptr) return {};
  if (self.memory->roster().nodes() == 1) return {};
  Result<std::shared_ptr<RemoteClient>> network =
      count_threads_of(self, [&] { return open_wire(self.membership, self.memory, options); });
  if (!network) return network.error();
  self.network = *std::move(network);
  static const int registered = ::on_exit(close_network, nullptr);
  static_cast<void>(registered);
  return {};
}

}  // namespace

namespace {

// Threads of kinds belong to the library. If they were counted and are not all threads but one,
// some may belong to the program.
void count_threads(ControlPage& page, std::int32_t more, ThreadCount count) {
  const auto change = static_cast<std::uint32_t>(more);
  const std::uint32_t now =
      change + page.library_threads.fetch_add(change, std::memory_order_relaxed);
  if (count == ThreadCount::measured && own_threads() != 1 + now)
    page.library_threads.store(unknown_threads, std::memory_order_relaxed);
}

// Describes an address for a crash report, because memory of an emulated device is inaccessible.
const char* describe_device_address(const void* address) {
  const std::unique_ptr<Engine>& engine = this_process().engine;
  const bool is_on_device = engine != nullptr && engine->kinds().has_known(address);
  return is_on_device ? ", which is device memory: only copies can access it" : "";
}

// Once per process, however often it initialises.
void prepare_for_debugging(Process& self, const Options& options) {
  if (std::exchange(self.is_prepared_for_debugging, true)) return;
  set_own_rank(self.rank());
  if (options.backtrace != Backtrace::none || options.freeze_on_error)
    catch_crashes({.stack = options.backtrace,
                   .freezes = options.freeze_on_error,
                   .describe_address = describe_device_address});
  if (options.freeze) freeze();
}

// In each job once: the guardian finds the process by this.
void show_process(Process& self) {
  ControlPage& page = self.memory->page(self.membership.rank);
  page.library_threads.store(self.library_threads, std::memory_order_relaxed);
  gondwana_debug_teams = {.teams = &self.memory->shown_team(self.membership.rank, 0),
                          .numbers = self.memory->plan().teams};
  if (std::exchange(self.is_shown, true)) return;
  static const bool is_caught = [] { return catch_end_signal(), true; }();
  static_cast<void>(is_caught);
  page.presence.take();
  if (!self.membership.launcher.is_foreign()) return;  // else the guardian watches it
  page.presence.take_part();
  const Roster& roster = self.memory->roster();
  if (roster.nodes() == 1 && roster.here().size() > 1)
    self.neighbors = std::make_unique<NeighborWatch>(self.memory, self.membership.rank);
}

// The part of the setup that is known before the network is open.
Engine::Setup setup_of(Process& self, const Options& options) {
  Engine::Setup setup;
  setup.rank = self.membership.rank;
  setup.ranks = self.membership.ranks;
  setup.session = self.membership.session;
  setup.memory = self.memory;
  setup.options = options;
  setup.kinds = std::make_shared<Kinds>(
      options, [&page = self.memory->page(self.membership.rank)](
                   std::int32_t more, ThreadCount count) { count_threads(page, more, count); });
  if (self.shares_variables) setup.globals = self.image.globals;
  setup.program_id = self.image.id;
  setup.on_lost = report_peer_lost;
  setup.enter_shrink = [&self](const ShrinkEntry& entry) {
    self.membership.launcher.enter_shrink(entry);
  };
  setup.enter_world = [&self](const WorldEntry& entry) {
    self.membership.launcher.enter_world(entry);
  };
  setup.tell_arrival = [&self] { self.membership.launcher.tell_arrival(); };
  setup.check_peers = [&self] {
    check_for_end();
    return self.neighbors != nullptr ? self.neighbors->check() : std::nullopt;
  };
  return setup;
}

Result<Engine*> create_engine(Process& self, CallName call, Threads threads) {
  Result<Options> options = read_options(own_environment());
  if (!options) return options.error();
  occupy_standard_descriptors();  // the program may have closed some since it was started
  prepare_for_debugging(self, *options);
  self.all_have_finalized = false;
  Engine::Setup setup = setup_of(self, *options);
  setup.call = call;
  setup.threads = threads;
  // Opening the network may wait for other nodes. Tell the launcher that the rank waits.
  self.memory->page(self.membership.rank).state.store(RankState::joined, std::memory_order_release);
  self.membership.launcher.take_part();
  if (const Result<void> open = open_network(self, *options); !open) return open.error();
  show_process(self);
  if (self.network != nullptr) setup.wire = Wire(self.network);
  Result<std::unique_ptr<Engine>> engine = Engine::create(std::move(setup));
  if (!engine) return engine.error();
  self.engine = *std::move(engine);
  self.engine->kinds().open_used();  // the threads of a driver are counted from here on
  start_apart(*self.memory, self.membership.rank);
  if (options->core == Core::heap) self.engine->symmetric().dump_blocks();
  self.users = 1;
  return self.engine.get();
}

// Called for every door but the first.
Engine* share_engine(Process& self, Threads threads) {
  if (threads == Threads::many) self.engine->allow_many_threads();
  self.engine->kinds().open_used();
  ++self.users;
  return self.engine.get();
}

}  // namespace

Result<Engine*> acquire_engine(CallName call, Threads threads) {
  Process& self = this_process();
  if (self.users > 0) return share_engine(self, threads);
  if (const Result<void> back = return_to_launcher(self); !back) return back.error();
  if (self.failure) return *self.failure;
  return create_engine(self, call, threads);
}

void release_engine() {
  Process& self = this_process();
  if (--self.users > 0) return;
  self.engine->announce_state(RankState::finalized);
  self.all_have_finalized = true;
  self.engine.reset();
}

void need_all_ranks(CallName call, const Engine& engine) {
  const NodeMemory& memory = engine.memory();
  memory.header().needs_all = 1;
  if (memory.roster().size() == memory.roster().first_size()) return;
  fail_together(call, {Errc::refused,
                       "this job has got more ranks while it runs; only OpenSHMEM programs can "
                       "be part of it"});
}

void announce_end() {
  this_process().memory->header().ending.fetch_add(1, std::memory_order_relaxed);
  const UniqueFd& image = this_process().membership.image;
  if (image) (void)!::write(image.get(), "", 1);  // does not block; a full one already holds a word
}

}  // namespace gondwana

const gondwana::DeviceTraffic* gondwana_device_traffic() {
  const gondwana::Process& self = gondwana::this_process();
  if (self.memory == nullptr) return nullptr;
  return &gondwana::shown_memory(self.memory->page(self.membership.rank)).devices;
}
