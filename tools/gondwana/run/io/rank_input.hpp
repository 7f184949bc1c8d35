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
    std::function<void(std::uint64_t bytes)> on_taken;  // the rank has read this number of bytes
    std::function<void()> on_gone;                      // the rank has closed its input
  };

  // `poller` must outlive this object.
  RankInput(Poller& poller, Handlers handlers) : poller_(&poller), handlers_(std::move(handlers)) {}
  RankInput(const RankInput&) = delete;
  RankInput& operator=(const RankInput&) = delete;

  // Creates the pipe, and returns the end that the rank reads.
  Result<UniqueFd> start();
  // Adds text for the rank; an empty text is the end of the input.
  void add(std::string_view text);
  // The rank has ended.
  void stop();

 private:
  void write_rank();
  void forget();

  Poller* poller_;
  Handlers handlers_;
  UniqueFd to_rank_;
  std::string held_;  // not read by the rank yet; the sender keeps within its window
  bool ended_ = false;
};

}  // namespace gondwana::launch
