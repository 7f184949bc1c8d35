// The door of this process. gex_Client_Init makes it, and it lives as long as the process.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "bootstrap/deadline.hpp"
#include "core/load.hpp"
#include "core/machine.hpp"
#include "front/gasnet/door.hpp"
#include "front/gasnet/errors.hpp"
#include "front/gasnet/settings.hpp"
#include "front/gasnet/tools/environment.hpp"
#include "front/gasnet/tools/job.hpp"
#include "front/gasnet/tools/signals.hpp"
#include "gasnet.h"
#include "memory/stillness.hpp"
#include "process/process.hpp"

namespace gondwana::gasnet {
namespace {

constinit Door* own_door = nullptr;
// For the door that gex_Client_Init makes.
constinit bool inline_path = true;
constinit bool reaches_everything = false;

}  // namespace

Door* find_door() {
  return own_door;
}

Door& door() {
  if (own_door == nullptr) [[unlikely]]
    give_up("GASNet", this_process().forked ? "called in a child process that the rank forked"
                                            : "called before gex_Client_Init or gasnet_init");
  return *own_door;
}

void give_up(CallName call, const std::string& sentence) {
  print_and_end(fmt::format("{}: {}", call, sentence));
}

namespace {

// Counters at rank 0 for the ranks of all nodes.
enum class Tally : std::size_t { leaving, seen };

std::uint64_t add(Tally tally, std::uint64_t number) {
  constexpr Rank first{0};
  const std::size_t offset = system_area::exit_tallies.at(static_cast<std::size_t>(tally));
  const Engine& engine = own_door->engine();
  if (!own_door->reaches(index(first))) {
    const AtomicRequest request{AtomicOp::add, AtomicType::uint64, number};
    return number + *own_door->remote().request_in_arena({first, offset}, request, "exit");
  }
  std::byte* word = engine.memory().window(first) + offset;
  return number + std::atomic_ref(*reinterpret_cast<std::uint64_t*>(word)).fetch_add(number);
}

// Detects that all ranks of this node outside the `leaving` ranks of the job wait in calls. If none
// makes progress for two seconds, they wait for the leaving ranks, which make no more calls.
class WaitOfOthers {
 public:
  bool holds(std::uint64_t leaving) {
    constexpr std::uint64_t wait_limit_ns = 2'000'000'000;
    const std::uint64_t now = gondwana::monotonic_ns();
    if (now < next_check_ns_) return false;
    next_check_ns_ = now + check_interval_ns;
    const std::optional<Stillness> found = observe(leaving);
    if (!found || found != found_) since_ns_ = now;
    found_ = found;
    return found && now - since_ns_ > wait_limit_ns;
  }

 private:
  static constexpr std::uint64_t check_interval_ns = 200'000'000;

  static std::optional<Stillness> observe(std::uint64_t leaving) {
    const NodeMemory& memory = own_door->engine().memory();
    std::vector<Sleeper> sleepers;
    for (const RankInfo& neighbor : own_door->neighbors()) {
      const ControlPage& page = memory.page(Rank(neighbor.gex_jobrank));
      const auto pid = static_cast<pid_t>(page.presence.process.load(std::memory_order_relaxed));
      const RankPages pages = memory.pages(Rank(neighbor.gex_jobrank));
      if (pages.threads->longest_wait() != nullptr)
        sleepers.push_back({neighbor.gex_jobrank, pid, pages});
    }
    if (leaving + sleepers.size() < own_door->ranks()) return std::nullopt;
    return find_stillness(sleepers);
  }

  std::uint64_t next_check_ns_ = 0;
  std::uint64_t since_ns_ = 0;
  std::optional<Stillness> found_;
};

// "; rank 1 waits in gex_Event_Wait": the first waiting rank of this node.
std::string first_wait() {
  const NodeMemory& memory = own_door->engine().memory();
  for (const RankInfo& neighbor : own_door->neighbors())
    if (const Waiting* wait = memory.threads(Rank(neighbor.gex_jobrank)).longest_wait())
      return fmt::format("; rank {} waits in {}", neighbor.gex_jobrank, wait->call());
  return {};
}

// Keeps receiving messages, because other ranks may wait until this rank takes theirs.
void serve_for(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds longest_sleep{1};
  const auto until = std::chrono::steady_clock::now() + time;
  do {
    check_for_end();
    if (own_door->engine().waiter().receive_messages() == 0)
      std::this_thread::sleep_for(longest_sleep);
  } while (std::chrono::steady_clock::now() < until);
}

// The interval between polls grows, because rank 0 has to answer all other ranks.
template <typename Done>
bool wait_until(const Deadline& deadline, const Done& done) {
  constexpr std::chrono::milliseconds longest{50};
  for (std::chrono::milliseconds pause{1}; !done(); pause = std::min(2 * pause, longest)) {
    if (deadline.left_ms() == 0) return false;
    serve_for(pause);
  }
  return true;
}

// Rank 0 stays until the other ranks have read the final count. A rank that has not read it then
// loses contact with rank 0, and also ends.
bool other_nodes_end_too(const Deadline& deadline) {
  const std::uint32_t ranks = own_door->ranks();
  add(Tally::leaving, 1);
  std::uint64_t leaving = 0;
  WaitOfOthers others_wait;
  const auto all_leave_or_wait = [&] {
    leaving = add(Tally::leaving, 0);
    return leaving == ranks || others_wait.holds(leaving);
  };
  if (!wait_until(deadline, all_leave_or_wait) || leaving < ranks) return false;
  add(Tally::seen, 1);
  if (own_door->rank() == 0) wait_until(Deadline(2), [&] { return add(Tally::seen, 0) == ranks; });
  return true;
}

// The same time as in GASNet.
Deadline exit_deadline() {
  const std::uint32_t by_ranks = std::min(2 + own_door->ranks() / 4, 360U);
  const std::uint32_t given = own_door->settings().exit_timeout_s;
  return Deadline(stretched(given != 0 ? given : by_ranks));
}

// The processes of a job usually end at about the same time. The first process waits for the
// others, unless they wait for processes that have ended. False: the caller must end the job.
bool others_end_too(const Deadline& deadline) {
  this_process().ends_with_others = true;
  if (!own_door->engine().rma().reaches_all()) return other_nodes_end_too(deadline);
  const Process& self = this_process();
  NodeHeader& node = self.memory->header();
  node.leaving.fetch_add(1);
  const std::uint32_t ranks = self.membership.ranks;
  WaitOfOthers others_wait;
  wait_until(deadline, [&] {
    return node.leaving.load() == ranks || others_wait.holds(node.leaving.load());
  });
  return node.leaving.load() == ranks;
}

// Messages that are still in flight are lost. Another door may still use the engine.
void end_with_others() {
  own_door = nullptr;
  if (this_process().users > 1)
    release_engine();
  else
    leave_with_others();
}

// Runs when a program returns from main or calls exit().
void leave_at_exit(int status, void* /*unused*/) {
  const Process& self = this_process();
  if (own_door == nullptr || self.leaves_job || self.forked) return;
  if (status != 0) leave_job(status);
  constexpr std::uint32_t longest_s = 10;
  if (!others_end_too(Deadline(longest_s)))
    give_up("exit",
            fmt::format("this rank has ended with status 0, but others continue{}; the job ends. "
                        "End all ranks after a barrier, or end the job with gasnet_exit",
                        first_wait()));
  end_with_others();
}

void examine(const gondwana_gex_build& build) {
  if (build.abi != GONDWANA_GASNET_ABI)
    give_up("gex_Client_Init",
            fmt::format("the program was compiled with headers of interface version {}, the "
                        "library has version {}; recompile the program",
                        build.abi, GONDWANA_GASNET_ABI));
}

// Reads all settings first, so that errors are reported before the door is made.
Settings examine_environment(CallName call) {
  const std::uint32_t processes = this_process().memory->roster().here().size();
  for (const VariableId id : {VariableId::gasnet_max_segsize, VariableId::gasnet_physmem_max,
                              VariableId::gasnet_max_threads, VariableId::gondwana_node_ranks})
    tools::report(id);
  const Result<Settings> settings = read_settings(own_environment(), processes, usable_memory());
  if (!settings) fail_together(call, settings.error());
  return *settings;
}

}  // namespace
}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

extern "C" {
extern const volatile int gondwana_gasnet_abi_2 = 2;
}

// NOLINTNEXTLINE(readability-function-size): the standard chose the parameters
int gondwana_gex_client_init(gex_Client_t* client_p, gex_EP_t* ep_p, gex_TM_t* tm_p,
                             const char* name, int* /*argc*/, char*** argv, gex_Flags_t flags,
                             const gondwana_gex_build* build) {
  constexpr auto call = "gex_Client_Init";
  if (own_door == nullptr)
    tools::begin_job(gondwana::this_process().rank(),
                     argv != nullptr && *argv != nullptr ? **argv : nullptr);
  examine(*build);
  if (own_door != nullptr)
    return refuse(GASNET_ERR_RESOURCE, call, "the process already has a client");
  const auto threads = static_cast<ThreadMode>(build->threads);
  const gondwana::Result<gondwana::Engine*> engine =
      gondwana::acquire_engine(call, threads == ThreadMode::seq ? gondwana::Threads::one_at_a_time
                                                                : gondwana::Threads::many);
  if (!engine) gondwana::fail_together(call, engine.error());
  gondwana::need_all_ranks(call, **engine);
  const bool asked_for_checks = (*engine)->options().checks;
  // Never destroyed: exit handlers of the program may still call the library.
  own_door = new Door({.engine = *engine,
                       .threads = threads,
                       .checks = build->checks != 0 || asked_for_checks,
                       .settings = examine_environment(call),
                       .inline_path = inline_path && !asked_for_checks,
                       .everything = reaches_everything});
  gondwana::this_process().forget_engine.push_back([] { own_door = nullptr; });
  own_door->join(name, flags);
  ::on_exit(leave_at_exit, nullptr);
  gondwana::this_process().before_told_end.push_back(&tools::quit);
  tools::turn_ends_into_quit();
  *client_p = own_door->client();
  *ep_p = own_door->endpoints().first();
  *tm_p = own_door->teams().world();
  return GASNET_OK;
}

void gondwana_gex_call_always(void) {
  inline_path = false;
}

void gondwana_gex_reach_everything(void) {
  reaches_everything = true;
}

int gondwana_gasnet_init(int* argc, char*** argv, const gondwana_gex_build* build) {
  gex_Client_t client = GEX_CLIENT_INVALID;
  gex_EP_t endpoint = GEX_EP_INVALID;
  gex_TM_t team = GEX_TM_INVALID;
  return gondwana_gex_client_init(&client, &endpoint, &team, "LEGACY", argc, argv,
                                  GEX_FLAG_USES_GASNET1, build);
}

void gasnet_exit(int status) {
  if (own_door == nullptr) std::exit(status);
  if (status == 0 && others_end_too(exit_deadline())) {
    end_with_others();
    std::exit(0);
  }
  gondwana::leave_job(status);
}
