// Files that we create for a user. Each replaces an existing file once it is complete. In a folder
// that other users may write to, their links do not redirect our writes.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

class NewFile {
 public:
  // Errors contain only the reason, here and below. A target that is not a regular file, such as a
  // device or a pipe, is written directly. A link of the user's own is followed.
  static Result<NewFile> open(const std::string& name);
  NewFile(NewFile&& other) noexcept
      : file_(std::move(other.file_)),
        target_(std::move(other.target_)),
        unfinished_(std::exchange(other.unfinished_, {})) {}
  NewFile& operator=(NewFile&& other) = delete;
  // Without keep() nothing remains.
  ~NewFile();

  int get() const { return file_.get(); }
  // Its name until it is complete; empty if the target itself is written.
  const std::string& unfinished() const { return unfinished_; }
  Result<void> write(std::string_view text) const;
  Result<void> keep();

 private:
  NewFile(UniqueFd file, std::string target, std::string unfinished)
      : file_(std::move(file)), target_(std::move(target)), unfinished_(std::move(unfinished)) {}

  UniqueFd file_;
  std::string target_;
  std::string unfinished_;
};

Result<void> write_file(const std::string& name, std::string_view text);

// A file that is readable while it grows. It replaces an existing file. A link is replaced, not
// followed. Errc::out_of_memory: no descriptor is left.
Result<UniqueFd> open_to_append(const std::string& name);

}  // namespace gondwana
