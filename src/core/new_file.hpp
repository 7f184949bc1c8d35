// Files that we create for a user: each takes the place of another when it is whole. In a folder
// that others may write to, none of their links leads what we write elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

class NewFile {
 public:
  // Errors are the reason alone, here and below. What is no regular file, such as a device or a
  // pipe, is written as it is, and a link of the user's own is followed.
  static Result<NewFile> open(const std::string& name);
  NewFile(NewFile&& other) noexcept
      : file_(std::move(other.file_)),
        target_(std::move(other.target_)),
        unfinished_(std::exchange(other.unfinished_, {})) {}
  NewFile& operator=(NewFile&& other) = delete;
  // Without keep() nothing is left.
  ~NewFile();

  int get() const { return file_.get(); }
  // The name that it has until it is whole; empty: the target itself is written.
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

// A file that others may read as it grows, in place of what was there. A link is replaced and not
// followed. Errc::out_of_memory: there is no descriptor.
Result<UniqueFd> open_to_append(const std::string& name);

}  // namespace gondwana
