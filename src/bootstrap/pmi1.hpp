// PMI-1: what mpiexec.hydra and others speak over a socket that they leave open as PMI_FD. Lines of
// text such as `cmd=put kvsname=... key=... value=...`, each answered by one line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bootstrap/deadline.hpp"
#include "bootstrap/key_value_space.hpp"
#include "core/result.hpp"

namespace gondwana {

// The value of `name` in a line of PMI-1; nothing where it is absent.
std::optional<std::string_view> find_in_line(std::string_view line, std::string_view name);

class Pmi1 {
 public:
  // Begins the session. `socket` is inherited and never closed: its end before finish() is the
  // death of this process to the launcher, which then ends all others.
  static Result<Pmi1> open(int socket, std::uint32_t rank, std::uint32_t size,
                           const Deadline& deadline);

  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }
  const std::string& job() const { return space_; }

  Result<void> put(Round round, std::string_view value);
  Result<bool> fence(const Deadline& deadline);
  Result<std::string> get(Round round, std::uint32_t of_rank);

  // Asks for the end of all processes with `status`. There is no answer.
  Result<void> abort(int status);

  // From now on another program that this process becomes by exec does not inherit the session: to
  // the launcher that is the death of this one.
  void keep_from_successors() const;

  // This process may end from now on. Whatever the launcher answers.
  void finish();

 private:
  Pmi1(int socket, std::uint32_t rank, std::uint32_t size)
      : socket_(socket), rank_(rank), size_(size) {}

  Result<void> begin(const Deadline& deadline);
  Result<void> say(std::string_view line) const;
  // Nothing where the time was up.
  Result<std::optional<std::string>> hear(const Deadline& deadline);
  // The answer to `line`, which must be of the command `wanted`.
  Result<std::string> ask(std::string_view line, std::string_view wanted, const Deadline& deadline);

  int socket_;
  std::uint32_t rank_;
  std::uint32_t size_;
  std::string space_;  // "kvsname"
};

static_assert(KeyValueSpace<Pmi1>);

}  // namespace gondwana
