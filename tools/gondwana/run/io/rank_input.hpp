// The standard input of a rank: a pipe that is written as fast as the rank reads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"

namespace gondwana::launch {

class RankInput {
 public:
  struct Handlers {
    std::function<void(std::uint64_t bytes)> on_taken;  // the rank has taken that many bytes
    std::function<void()> on_gone;                      // it reads no more; once
  };

  // `poller` must outlive this.
  RankInput(Poller& poller, Handlers handlers) : poller_(&poller), handlers_(std::move(handlers)) {}
  RankInput(const RankInput&) = delete;
  RankInput& operator=(const RankInput&) = delete;

  // Begins; returns the end of a pipe from which the rank reads.
  Result<UniqueFd> start();
  // Text for the rank; empty: nothing follows.
  void add(std::string_view text);
  // The rank is gone.
  void stop();

 private:
  void write_rank();
  void forget();

  Poller* poller_;
  Handlers handlers_;
  UniqueFd to_rank_;
  std::string held_;  // not yet taken by the rank; the reader sends no more than its window
  bool ended_ = false;
};

}  // namespace gondwana::launch
