// The data that a guardian forwards: the output of its ranks, the standard input of the reading
// rank, messages and events. If there is a conductor, everything goes to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/io/job_output.hpp"
#include "run/io/own_output.hpp"
#include "run/io/poller.hpp"
#include "run/io/rank_input.hpp"
#include "run/io/standard_input.hpp"
#include "run/job.hpp"
#include "run/remote/uplink.hpp"

namespace gondwana::launch {

// The error if no descriptor is left, because other processes have opened some since the check.
Error no_descriptor(std::string_view what, std::uint32_t rank);

// The source of a rank's standard input.
enum class InputFrom : std::uint8_t { nobody, conductor, terminal, launcher };
InputFrom input_of(const Job& job, std::uint32_t rank, bool is_terminal);
// The file that output of a rank goes to; empty: we carry it.
std::string output_file(const Job& job, std::uint32_t rank, Standard which);

class Streams {
 public:
  // Both must outlive this object.
  Streams(Poller& poller, const Job& job);

  // Null if there is no conductor.
  Uplink* uplink() const { return uplink_.get(); }
  void tell(const Frame& news) const { uplink_->tell(news); }
  void say(std::string_view sentence) { output_.say(sentence); }

  // Descriptors for a rank, by its number in the job.
  Result<UniqueFd> open_input(std::uint32_t rank);
  static Result<UniqueFd> open_nothing(std::uint32_t rank);  // an empty input
  Result<UniqueFd> open_output(std::uint32_t rank, Standard which);
  void add_input(std::string_view text) { input_.add(text); }
  void on_rank_ended(std::uint32_t rank);

  // Call this once per iteration and at next_ns().
  void step(std::uint64_t now);
  std::optional<std::uint64_t> next_ns() const;
  // Call this instead of step() once all writers have ended. Returns true when everything has been
  // written.
  bool drain() { return output_.drain(); }
  // The errno of a failure of our output, or 0.
  int failure() const { return output_.failure(); }

 private:
  const Job& job_;
  std::unique_ptr<Uplink> uplink_;
  std::unique_ptr<OwnOutput> own_output_;
  JobOutput output_;
  StandardInput terminal_;
  RankInput input_;
};

}  // namespace gondwana::launch
