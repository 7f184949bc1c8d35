// A descriptor that stays open until the program closes descriptors that it does not own, for
// instance with closefrom(3). Libraries that lose their descriptors this way may wait forever.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>

#include "core/unique_fd.hpp"

namespace gondwana {

class DescriptorWitness {
 public:
  DescriptorWitness() : file_(::memfd_create("gondwana-witness", MFD_CLOEXEC)) {
    if (file_ && ::fstat(file_.get(), &facts_) != 0) file_.reset();
  }
  DescriptorWitness(const DescriptorWitness&) = delete;
  DescriptorWitness& operator=(const DescriptorWitness&) = delete;
  // Another file may have its number now.
  ~DescriptorWitness() {
    if (was_closed()) (void)file_.release();
  }

  bool was_closed() const {
    struct stat now{};
    return file_ && (::fstat(file_.get(), &now) != 0 || now.st_ino != facts_.st_ino ||
                     now.st_dev != facts_.st_dev);
  }

 private:
  UniqueFd file_;
  struct stat facts_{};
};

}  // namespace gondwana
