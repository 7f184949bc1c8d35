// PMI-1: the protocol of mpiexec.hydra and others, over a socket that they pass as PMI_FD. Lines of
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

// The value of `name` in a PMI-1 line; nothing if it is absent.
std::optional<std::string_view> find_in_line(std::string_view line, std::string_view name);

class Pmi1 {
 public:
  // Begins the session. `socket` is inherited and never closed: if it closes before finish(), the
  // launcher counts this process as dead and ends all others.
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

  // From now on exec closes the session. To the launcher that is the end of this process.
  void keep_from_successors() const;

  // This process may end from now on. Ignores the launcher's answer.
  void finish();

 private:
  Pmi1(int socket, std::uint32_t rank, std::uint32_t size)
      : socket_(socket), rank_(rank), size_(size) {}

  Result<void> begin(const Deadline& deadline);
  Result<void> say(std::string_view line) const;
  // Nothing after a timeout.
  Result<std::optional<std::string>> hear(const Deadline& deadline);
  // The answer to `line`. It must have the command `wanted`.
  Result<std::string> ask(std::string_view line, std::string_view wanted, const Deadline& deadline);

  int socket_;
  std::uint32_t rank_;
  std::uint32_t size_;
  std::string space_;  // "kvsname"
};

static_assert(KeyValueSpace<Pmi1>);

}  // namespace gondwana
