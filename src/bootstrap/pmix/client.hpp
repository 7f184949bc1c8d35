// PMIx: the interface of Open MPI's mpirun, prterun and srun. Its library is loaded only when it is
// needed, so it may be absent.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bootstrap/deadline.hpp"
#include "bootstrap/key_value_space.hpp"
#include "core/result.hpp"

namespace gondwana {

// A session with the launcher, ended by the destructor. During the session the library has a thread
// in this process, which takes no signals.
class Pmix {
 public:
  static Result<Pmix> open();
  Pmix(Pmix&& other) noexcept;
  Pmix& operator=(Pmix&& other) noexcept;
  Pmix(const Pmix&) = delete;
  Pmix& operator=(const Pmix&) = delete;
  ~Pmix();

  std::uint32_t rank() const;
  std::uint32_t size() const;
  std::string_view job() const;

  Result<void> put(Round round, std::string_view value);
  Result<bool> fence(const Deadline& deadline);
  Result<std::string> get(Round round, std::uint32_t of_rank);

  // Asks for the end of all processes with `status`.
  Result<void> abort(int status);

  // This process may end from now on. No other call may follow.
  void finish();

 private:
  struct Session;
  explicit Pmix(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session_;
};

static_assert(KeyValueSpace<Pmix>);

struct PmixLibrary {
  std::string path;
  std::string version;
};

// The library that Pmix::open would load, or the reason why it cannot. Starts no session.
Result<PmixLibrary> find_pmix_library();

}  // namespace gondwana
