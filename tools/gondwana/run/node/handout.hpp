// The progress of sending the description of the job to each process that joins. Each process
// receives it at its own pace. Handout makes no system call.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "bootstrap/protocol.hpp"
#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "memory/control_page.hpp"

namespace gondwana::launch {

class Handout {
 public:
  enum class Progress {
    done,            // the process has been sent everything it asked for
    wait_for_space,  // its socket is full
    try_later,       // too many descriptors are in flight
    lost,            // it has gone
  };

  explicit Handout(std::uint32_t processes) : next_(processes) {}

  // The process asked to join: from now on advance() sends it the description from the start.
  void join(std::uint32_t process) { next_[process] = 0; }
  bool has_joined(std::uint32_t process) const { return next_[process].has_value(); }

  // `send` sends the item with the given number, which is below `items`.
  Progress advance(std::uint32_t process, std::uint32_t items,
                   FunctionRef<protocol::Sent(std::uint32_t item)> send) {
    if (!has_joined(process)) return Progress::done;
    for (std::uint32_t& next = *next_[process]; next < items; ++next) {
      switch (send(next)) {
        case protocol::Sent::yes:
          break;
        case protocol::Sent::no_room:
          return Progress::wait_for_space;
        case protocol::Sent::too_many_in_flight:
          return Progress::try_later;
        case protocol::Sent::peer_lost:
          next = items;
          return Progress::lost;
      }
    }
    return Progress::done;
  }

 private:
  std::vector<std::optional<std::uint32_t>> next_;  // the item to be sent next
};

// The reason why the program of a rank must not join; nothing if it may.
inline std::optional<Error> refusal_to_join(std::uint32_t rank, RankState state) {
  if (state < RankState::running) return std::nullopt;
  return Error{
      Errc::refused,
      fmt::format("rank {} asked to join the job a second time: only one program of a rank "
                  "can be part of a job; run the programs as jobs of their own",
                  rank)};
}

}  // namespace gondwana::launch
