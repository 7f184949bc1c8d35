// The streams of a rank to other nodes, and the nodes that it has lost. A loss is final.
//
// Used by the thread that has the turn.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "memory/death_list.hpp"
#include "memory/node_memory.hpp"
#include "remote/client/node_infos.hpp"
#include "remote/client/stream.hpp"

namespace gondwana::remote {

class Streams {
 public:
  // See RemoteClient::Setup.
  struct Setup {
    Route& route;
    NodeMemory& memory;
    const NodeInfos& nodes;
    Rank me;
    std::uint32_t incarnation;
    std::uint64_t job_tag;
    std::size_t batch_limit;
    int agent;
  };

  explicit Streams(const Setup& setup);

  Stream::Shared& shared() { return shared_; }
  const Stream::Shared& shared() const { return shared_; }
  // Creates the stream on first use.
  Stream& to(std::uint32_t node);
  // The stream to the node of a rank.
  Stream& to(Rank rank) {
    return last_ != nullptr && last_rank_ == rank ? *last_ : find_last(rank);
  }
  // Null: nothing has been sent to the node.
  Stream* find(std::uint32_t node) {
    const auto found = streams_.find(node);
    return found == streams_.end() ? nullptr : &found->second;
  }
  // See Transport::gather().
  void gather(bool begins);
  // Sends open batches that have not grown since the last call, because then the rank waits.
  bool flush();
  // Whether all appended requests have left.
  bool have_departed() const;

  // An error of the route means that the node is lost.
  Result<Posted> judge(std::uint32_t node, Result<Posted> posted) {
    if (posted) return posted;
    return fail(node, posted.error().text);
  }
  void lose(std::uint32_t node, const std::string& why);
  void lose_all(const Error& loss);
  // A message to the rank has failed. If the job continues without some ranks, it may be one of
  // them, and is not missed. Otherwise its node is lost.
  void suspect(Rank rank, const std::string& why);
  // Whether the rank is dead, or another process has taken its place without the knowledge of this
  // rank.
  bool is_dead(Rank rank) const {
    return deaths_.size() != 0 && (deaths_.place_of(rank) > shared_.heeded || deaths_.has(rank));
  }
  bool any_has_died() const { return deaths_.size() != 0; }
  // How often the rank was replaced.
  std::uint32_t incarnation_of(Rank rank) const { return deaths_.replacements_of(rank); }
  // See Transport::heed().
  void heed(std::uint32_t changes);
  // Not called in every poll, because it costs more than a poll.
  void check_for_losses();
  // The reason why no node can be reached any more; null while some can.
  const Error* end() const { return end_ ? &*end_ : nullptr; }
  const Error* lost(Rank peer) const;
  std::span<const Error> losses() const { return losses_; }

 private:
  // The launcher has not told of its death yet.
  struct Suspect {
    Rank rank;
    std::string why;
    std::uint64_t since_ns;
  };

  Stream& find_last(Rank rank);
  [[gnu::cold]] Error fail(std::uint32_t node, const std::string& why);
  std::optional<Error> find_end() const;
  bool is_agent_gone() const;
  void abandon(Stream& stream, const Error& loss);
  bool may_lack_ranks() const;
  void check_suspects(std::uint64_t now);
  void lose_dead_nodes();

  Stream::Shared shared_;
  NodeMemory& memory_;
  const NodeInfos& nodes_;
  int agent_;
  DeathList deaths_;
  std::uint32_t seen_deaths_ = 0;
  std::vector<Suspect> suspects_;
  std::map<std::uint32_t, Stream> streams_;  // by node
  Rank last_rank_{0};                        // rank and stream of the last request
  Stream* last_ = nullptr;
  std::vector<Error> losses_;
  std::optional<Error> end_;
  std::uint64_t next_check_ns_ = 0;
};

}  // namespace gondwana::remote
