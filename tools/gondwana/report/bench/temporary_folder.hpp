// A folder below TMPDIR that is gone when its owner is, however that ends.
//
// A process of its own makes the folder, waits until the owner has closed a socket, which the
// system does after SIGKILL too, and removes the folder.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::bench {

class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::move(other.path_)),
        link_(std::move(other.link_)),
        keeper_(std::exchange(other.keeper_, 0)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  // Returns when the folder has been removed.
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  TemporaryFolder(UniqueFd link, pid_t keeper) : link_(std::move(link)), keeper_(keeper) {}

  std::string path_;
  UniqueFd link_;
  pid_t keeper_;
};

}  // namespace gondwana::bench
