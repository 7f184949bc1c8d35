// Combines equal errors of many ranks into one line: "gondwana: ranks 0-63: shmem_init: ...".
//
// A line in which the library reports an error of its rank is held briefly. Following lines of that
// rank belong to it if they begin with a space. The frames of a crash, which begin with the rank
// and two spaces, belong to it too. Other output that arrives meanwhile is written after it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/function_ref.hpp"

namespace gondwana::launch {

class ErrorGatherer {
 public:
  // Takes a complete line of a rank. Returns false if the caller must write it, after the held
  // lines. `now_ns` is on CLOCK_MONOTONIC.
  bool take(std::uint32_t rank, std::string_view line, std::uint64_t now_ns);

  bool is_empty() const { return errors_.empty(); }
  // The time at which the held lines are due; nothing if there are none.
  std::optional<std::uint64_t> due_ns() const;
  // Whether too much text is held.
  bool is_full() const { return size_ >= max_held; }

  // Returns the held lines, sorted by rank, and clears them.
  std::string release();

 private:
  static constexpr std::size_t max_held = std::size_t{256} << 10;

  struct TheError {
    std::uint32_t rank = 0;
    std::string before;  // "gondwana: "
    std::string text;    // the text after the rank number
    std::string more = {};
  };

  bool take_error(std::uint32_t rank, std::string_view line);
  bool take_more(std::uint32_t rank, std::string_view line);
  // Takes one error of each rank, and returns the ranks.
  std::vector<std::uint32_t> take_ranks(FunctionRef<bool(const TheError&)> is_wanted);

  std::vector<TheError> errors_;
  std::uint64_t since_ns_ = 0;
  std::size_t size_ = 0;
};

}  // namespace gondwana::launch
