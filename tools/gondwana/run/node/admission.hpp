// Records which ranks of a node have started, joined and ended, and which ranks of the job take no
// part.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "memory/node_ranks.hpp"

namespace gondwana::launch {

struct RankRecord {
  pid_t pid = 0;
  pid_t program = 0;  // the process that joined: the rank's process or one below it
  bool alive = false;
  bool joined = false;
  bool is_replaced = false;       // by another program, while it took part
  bool is_dead = false;           // the job continues without it
  bool has_left = false;          // so it does, and the rank has wanted it
  bool is_unwanted = false;       // a user has asked it to leave
  bool is_awaited = false;        // dead, and another process is about to take its place
  std::uint32_t incarnation = 0;  // how often another process has taken its place
};

class Admission {
 public:
  // `total`: the ranks of all nodes. `incarnations`: by rank; empty: the first.
  Admission(NodeRanks here, std::uint32_t total, const std::vector<std::uint32_t>& incarnations)
      : here_(here), total_(total), ranks_(here.size()) {
    for (std::size_t rank = 0; rank < incarnations.size(); ++rank)
      ranks_[rank].incarnation = incarnations[rank];
  }

  // The numbers of further ranks follow those of the others.
  void add(std::uint32_t more) {
    here_ = NodeRanks(index(here_.front()), size() + more);
    total_ += more;
    ranks_.resize(size());
  }
  void start(std::uint32_t rank, pid_t pid) {
    RankRecord& record = ranks_[rank];
    any_started_ = true;
    if (!record.is_awaited) ++alive_;
    const std::uint32_t incarnation = record.incarnation + (record.is_awaited ? 1 : 0);
    record = {.pid = pid, .alive = true, .incarnation = incarnation};
    rank_of_[pid] = rank;
  }
  void join(std::uint32_t rank, pid_t program) {
    ranks_[rank].program = program;
    ranks_[rank].joined = any_joined_ = true;
    ranks_[rank].is_replaced = false;
    absent_.erase(global(rank));  // another program runs as that rank
  }
  void end(std::uint32_t rank) {
    ranks_[rank].alive = false;
    rank_of_.erase(ranks_[rank].pid);
    --alive_;
  }
  void lose(std::uint32_t rank) { ranks_[rank].is_dead = true; }
  void leave(std::uint32_t rank) { ranks_[rank].has_left = true; }
  void dismiss(std::uint32_t rank) { ranks_[rank].is_unwanted = true; }
  // Another process will take the place of the rank, which counts as alive until then.
  void await(std::uint32_t rank) {
    ranks_[rank].is_dead = ranks_[rank].is_awaited = true;
    ++alive_;
  }
  // No process does.
  void abandon(std::uint32_t rank) {
    ranks_[rank].is_awaited = false;
    --alive_;
  }
  void replace(std::uint32_t rank) { ranks_[rank].is_replaced = true; }
  // A rank of any node, numbered in the job, ended with status 0 and has called no door. That is no
  // error unless another rank calls one, because it would wait for the ended rank forever.
  void leave_out(std::uint32_t global_rank) { absent_.insert(global_rank); }

  std::optional<std::uint32_t> find(pid_t pid) const {
    const auto found = rank_of_.find(pid);
    return found != rank_of_.end() ? std::optional(found->second) : std::nullopt;
  }
  const RankRecord& operator[](std::uint32_t rank) const { return ranks_[rank]; }
  std::uint32_t size() const { return here_.size(); }
  const NodeRanks& here() const { return here_; }
  std::uint32_t global(std::uint32_t rank) const { return index(here_[rank]); }
  // The rank of this node with that number in the job.
  std::optional<std::uint32_t> local(std::uint32_t global_rank) const {
    if (!here_.holds(Rank(global_rank))) return std::nullopt;
    return here_.slot_of(Rank(global_rank));
  }
  // The ranks of all nodes.
  std::uint32_t total() const { return total_; }
  std::uint32_t alive() const { return alive_; }
  // The number of ranks on all nodes that are believed to be alive.
  std::uint32_t all_alive() const { return alive_ + total_ - size(); }
  bool any_started() const { return any_started_; }
  bool any_joined() const { return any_joined_; }
  const std::set<std::uint32_t>& absent() const { return absent_; }
  // Ranks of this node that asked to join but did nothing afterwards.
  std::vector<std::uint32_t> silent() const {
    std::vector<std::uint32_t> silent;
    for (std::uint32_t rank = 0; rank < size(); ++rank)
      if (ranks_[rank].joined && absent_.contains(global(rank))) silent.push_back(global(rank));
    return silent;
  }

 private:
  NodeRanks here_;
  std::uint32_t total_;
  std::vector<RankRecord> ranks_;
  std::unordered_map<pid_t, std::uint32_t> rank_of_;  // of ranks that are alive
  std::set<std::uint32_t> absent_;
  std::uint32_t alive_ = 0;
  bool any_started_ = false;
  bool any_joined_ = false;
};

}  // namespace gondwana::launch
