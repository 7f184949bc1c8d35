// A rank's link to the process that started it, after joining.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "bootstrap/spawn_command.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "sync/shrink_entry.hpp"
#include "sync/world_entry.hpp"

namespace gondwana {

// Why a rank asks for the end of the job.
enum class EndReason : std::uint8_t { error, on_purpose };

class LauncherLink {
 public:
  struct Foreign {
    std::function<Result<void>(int status)> end_job;
    std::function<void()> leave;  // may be empty
    std::function<void()> take_part = {};
    bool ends_ranks = true;  // false: nobody does, so a rank that ends tells the others
  };

  // For a program started alone.
  LauncherLink() = default;
  // To our guardian, which watches this rank itself.
  LauncherLink(UniqueFd socket, std::uint64_t job_tag)
      : socket_(std::move(socket)), job_tag_(job_tag) {}
  // To a launcher that is not ours.
  explicit LauncherLink(Foreign foreign) : foreign_(std::move(foreign)) {}

  // This launcher may not notice a rank that gives up before the job is done, so end_job() tells
  // it.
  bool is_foreign() const { return static_cast<bool>(foreign_.end_job); }

  bool ends_ranks() const { return !is_foreign() || foreign_.ends_ranks; }

  // Asks for the end of the whole job with `status`. The caller then ends itself. Forked children
  // of a rank send nothing to a foreign launcher: its session does not survive a fork.
  Result<void> end_job(int status, EndReason reason) const;

  // A member of a team on several nodes enters a shrink. Our guardian forwards it.
  void enter_shrink(const ShrinkEntry& entry) const;
  // This rank enters an update of the world of a job on several nodes; likewise.
  void enter_world(const WorldEntry& entry) const;
  // This process has joined the job after its start, or has taken the place of a dead one, and
  // runs.
  void tell_arrival() const;
  // Asks for more ranks. Call take_spawned() until it returns a value, before another call of this.
  Result<void> ask_for_ranks(std::uint32_t ranks, const SpawnCommand& command) const;
  // The answer: the number of the first of them, or why there are none. Nothing: not yet.
  std::optional<Result<std::uint32_t>> take_spawned() const;
  // This rank takes no part in the job any more, and the job continues.
  Result<void> leave_job() const;

  // For a node agent: the info of this node is in the control memory.
  Result<void> send_ready() const;
  // Readable when the guardian is gone, or no longer needs a node agent.
  int descriptor() const { return socket_.get(); }

  // Others wait for this program from now on. A launcher that can detect exec treats it as an end
  // from now on.
  void take_part() const;

  // This rank ends normally. Tells launchers that would mistake it for a crash.
  void leave() const;

 private:
  UniqueFd socket_;
  std::uint64_t job_tag_ = 0;
  Foreign foreign_;
  pid_t owner_ = ::getpid();
};

}  // namespace gondwana
