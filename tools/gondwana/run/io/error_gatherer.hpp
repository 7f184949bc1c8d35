// The same error of many ranks becomes one line: "gondwana: ranks 0-63: shmem_init: ...".
//
// A line by which the library tells an error of its rank is held for a moment. Lines that follow it
// from that rank and begin with a space belong to it, as do the frames of a crash, which begin with
// the rank and two spaces. What else is written meanwhile comes behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gondwana::launch {

class ErrorGatherer {
 public:
  // Takes a line of a rank with its end, or returns false: then the caller writes it, behind what
  // is held. `now_ns`: CLOCK_MONOTONIC.
  bool take(std::uint32_t rank, std::string_view line, std::uint64_t now_ns);

  bool is_empty() const { return errors_.empty(); }
  // When what is held is due; nothing where it is empty.
  std::optional<std::uint64_t> due_ns() const;
  // More than is good to hold.
  bool is_full() const { return size_ >= most_held; }

  // The lines, by their ranks, and then it is empty.
  std::string release();

 private:
  static constexpr std::size_t most_held = std::size_t{256} << 10;

  struct TheError {
    std::uint32_t rank = 0;
    std::string before;  // "gondwana: "
    std::string text;    // behind the number of the rank
    std::string more = {};
  };

  bool take_error(std::uint32_t rank, std::string_view line);
  bool take_more(std::uint32_t rank, std::string_view line);

  std::vector<TheError> errors_;
  std::uint64_t since_ns_ = 0;
  std::size_t size_ = 0;
};

}  // namespace gondwana::launch
