// A file that takes the place of another when it is whole. What is no regular file, such as a
// device or a pipe, is written as it is.
#pragma once

#include <string>
#include <utility>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::trace {

class NewFile {
 public:
  // One at a time in a process: a signal that ends it removes what is not whole.
  static Result<NewFile> open(const std::string& name);
  NewFile(NewFile&& other) noexcept
      : file_(std::move(other.file_)),
        target_(std::move(other.target_)),
        unfinished_(std::exchange(other.unfinished_, {})) {}
  NewFile& operator=(NewFile&& other) = delete;
  // Without keep() nothing is left.
  ~NewFile();

  int get() const { return file_.get(); }
  Result<void> keep();

 private:
  NewFile(UniqueFd file, std::string target, std::string unfinished)
      : file_(std::move(file)), target_(std::move(target)), unfinished_(std::move(unfinished)) {}

  UniqueFd file_;
  std::string target_;
  std::string unfinished_;  // empty: the target itself is written, or all is done
};

}  // namespace gondwana::trace
