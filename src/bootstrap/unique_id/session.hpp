// A rank's connection to the process that made its unique id: a key-value space for Rendezvous.
// Stays open as long as the rank is in the job: so that process refuses others until then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bootstrap/deadline.hpp"
#include "bootstrap/key_value_space.hpp"
#include "bootstrap/unique_id/unique_id.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

// What a process says about itself when it joins by a unique id.
struct UniqueStart {
  UniqueId id;
  std::uint32_t rank;
  std::uint32_t size;
};

// Whether a process listens at the port of the id.
bool is_reachable(const UniqueId& id, const Deadline& deadline);

class UniqueSession {
 public:
  // Connects and checks in. An error if the other side refuses or is not the maker of the id.
  static Result<UniqueSession> open(const UniqueStart& start, const Deadline& deadline);

  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }
  const std::string& job() const { return job_; }

  Result<void> put(Round round, std::string_view value);
  // After a timeout the error names the ranks that have not come.
  Result<bool> fence(const Deadline& deadline);
  Result<std::string> get(Round round, std::uint32_t of_rank);
  // This rank has joined: its end is no failure of the start any more.
  Result<void> finish() { return say("done"); }

 private:
  explicit UniqueSession(const UniqueStart& start);

  Result<void> check_in(const UniqueStart& start, const Deadline& deadline);
  Result<void> say(std::string_view line) const;
  // Nothing after a timeout. A refusal is an error.
  Result<std::optional<std::string>> hear(const Deadline& deadline);
  Error missing_ranks(const Deadline& waited);

  UniqueFd socket_;
  std::uint32_t rank_;
  std::uint32_t size_;
  std::string job_;
  std::string text_;  // read after the last line
};

static_assert(KeyValueSpace<UniqueSession>);

}  // namespace gondwana
