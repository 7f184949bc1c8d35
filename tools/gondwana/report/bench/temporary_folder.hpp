// A folder below TMPDIR that is removed when its owner ends, even after SIGKILL.
//
// A separate process creates the folder. It waits until the owner's end of a socket is closed,
// which the kernel does at any end, and then removes the folder.
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
        holder_process_(std::exchange(other.holder_process_, 0)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  // Returns once the folder is removed.
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  TemporaryFolder(UniqueFd link, pid_t keeper) : link_(std::move(link)), holder_process_(keeper) {}

  std::string path_;
  UniqueFd link_;
  pid_t holder_process_;
};

}  // namespace gondwana::bench
