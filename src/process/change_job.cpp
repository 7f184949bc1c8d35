#include "process/change_job.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "bootstrap/join_foreign.hpp"
#include "bootstrap/unique_id/join.hpp"
#include "bootstrap/unique_id/unique_id_server.hpp"
#include "core/options.hpp"
#include "memory/globals.hpp"
#include "memory/shown_memory.hpp"
#include "process/library_threads.hpp"
#include "process/message.hpp"
#include "process/process.hpp"
#include "remote/client/client.hpp"

namespace gondwana {
namespace {

// Threads may ask for ids at the same time.
std::mutex& id_servers_turn() {
  static std::mutex& turn = *new std::mutex;
  return turn;
}

// The threads of starts whose ranks have ended.
void end_old_servers(Process& self) {
  const bool is_known = self.library_threads != unknown_threads;
  const auto ended = std::erase_if(self.id_servers, [&](const auto& server) {
    if (!server->is_over()) return false;
    const std::scoped_lock turn(server->turn());
    self.refused_before += server->refused();
    return true;
  });
  if (is_known) self.library_threads -= static_cast<std::uint32_t>(ended);
}

// Holds the turns of all servers of ids, so that their threads touch nothing and none ends.
class IdServersPaused {
 public:
  explicit IdServersPaused(Process& self) {
    do {
      turns_.clear();
      end_old_servers(self);
      for (const auto& server : self.id_servers) turns_.emplace_back(server->turn());
    } while (
        std::ranges::any_of(self.id_servers, [](const auto& server) { return server->is_over(); }));
  }

 private:
  std::vector<std::unique_lock<std::mutex>> turns_;
};

// A thread of the program might write to a variable between its copy and its replacement. Then the
// variables stay where they are, private to this process.
Result<void> move_variables(Process& self) {
  self.shares_variables = false;
  const IdServersPaused paused(self);
  if (self.image.parts.empty() || !has_one_thread(self)) return {};
  const Result<void> moved = move_globals(
      self.image, self.memory->window(self.membership.rank) + NodePlan::globals_offset);
  if (!moved) return moved.error();
  self.shares_variables = self.maps_variables = true;
  self.memory->allow_access(self.membership.rank, NodePlan::globals_offset,
                            self.image.globals.size());
  return {};
}

// The job of a launcher, which goes on without this process for a time; not one of this process
// alone.
bool is_of_launcher(const Process& self) {
  const LauncherLink& link = self.membership.launcher;
  return !self.is_away && (link.is_foreign() || link.descriptor() >= 0);
}

// A child must not end what belongs to its parent, so it forgets it.
void forget_parent(Process& self) {
  std::ignore = self.engine.release();
  self.users = 0;
  std::ignore = self.neighbors.release();
  new std::shared_ptr<RemoteClient>(std::move(self.network));
  new Membership(std::move(self.membership));
  new std::optional<LauncherJob>(std::move(self.launcher_job));
  self.launcher_job.reset();
  self.memory.reset();
  self.forked = false;
  self.library_threads = 0;
}

void leave_present_job(Process& self) {
  if (self.forked) return forget_parent(self);
  if (self.memory == nullptr) return;
  if (is_of_launcher(self)) {
    self.launcher_job.emplace(LauncherJob{std::move(self.membership), std::move(self.memory),
                                          std::move(self.network), std::move(self.neighbors),
                                          self.is_shown});
    return;
  }
  self.network.reset();
  self.neighbors.reset();
  if (self.is_shown && !self.memory->page(self.membership.rank).presence.release())
    self.kept.push_back(self.memory);
}

// While the threads of the servers are paused.
void show_refusals(Process& self) {
  if (self.memory == nullptr) return;
  std::atomic<std::uint32_t>& word = shown_memory(self.memory->page(self.membership.rank)).refused;
  std::uint32_t before = self.refused_before;
  for (const auto& server : self.id_servers) {
    server->count_in(&word);
    before += server->refused();
  }
  word.store(before, std::memory_order_relaxed);
}

void hide_refusals(Process& self) {
  for (const auto& server : self.id_servers) server->count_in(nullptr);
}

// Replaces the memory in which servers of ids count.
void replace_job(Process& self, LauncherJob& job) {
  const IdServersPaused paused(self);
  hide_refusals(self);
  leave_present_job(self);
  self.membership = std::move(job.membership);
  self.memory = std::move(job.memory);
  show_refusals(self);
}

Result<void> enter(Process& self, LauncherJob job, bool is_away) {
  replace_job(self, job);
  self.network = std::move(job.network);
  self.neighbors = std::move(job.neighbors);
  self.is_shown = job.is_shown;
  self.is_away = is_away;
  self.failure.reset();
  set_own_rank(self.rank());
  return move_variables(self);
}

// Maps the memory of a job.
Result<LauncherJob> attach(Membership membership) {
  Result<std::shared_ptr<NodeMemory>> memory = NodeMemory::attach(
      membership.plan, membership.control, membership.rank, membership.next_arena);
  if (!memory) return memory.error();
  (*memory)->forget_own_file();
  return LauncherJob{std::move(membership), *std::move(memory), nullptr, nullptr, false};
}

Result<void> enter(Process& self, Result<Membership> membership, bool is_away) {
  if (!membership) return membership.error();
  Result<LauncherJob> job = attach(*std::move(membership));
  if (!job) return job.error();
  return enter(self, *std::move(job), is_away);
}

}  // namespace

Result<UniqueIdBytes> make_unique_id() {
  const std::scoped_lock lock(id_servers_turn());
  Process& self = this_process();
  end_old_servers(self);
  Result<std::unique_ptr<UniqueIdServer>> server =
      count_threads_of(self, [] { return UniqueIdServer::open(); });
  if (!server) return server.error();
  if (self.engine != nullptr)
    self.memory->page(self.membership.rank).library_threads.fetch_add(1, std::memory_order_relaxed);
  self.id_servers.push_back(*std::move(server));
  count_refusals(self);
  return write_unique_id(self.id_servers.back()->id());
}

Result<void> join_job(const UniqueStart& start) {
  const std::scoped_lock lock(id_servers_turn());
  Process& self = this_process();
  const Result<Options> options = read_options(own_environment());
  if (!options) return options.error();
  const Result<void> entered = enter(self, join_by_unique_id(start, *options), true);
  self.is_chosen = static_cast<bool>(entered);
  return entered;
}

Result<void> return_to_launcher(Process& self) {
  if (std::exchange(self.is_chosen, false) || !self.is_away) return {};
  const std::scoped_lock lock(id_servers_turn());
  if (!self.launcher_job) return enter(self, join_alone(), false);
  LauncherJob job = *std::move(self.launcher_job);
  self.launcher_job.reset();
  return enter(self, std::move(job), false);
}

void count_refusals(Process& self) {
  const IdServersPaused paused(self);
  show_refusals(self);
}

void abandon_id_servers(Process& self) {
  for (auto& server : self.id_servers) {
    server->abandon();
    new std::shared_ptr<UniqueIdServer>(std::move(server));
  }
  self.id_servers.clear();
}

}  // namespace gondwana
