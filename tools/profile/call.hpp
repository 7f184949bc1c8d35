// What a wrapper holds while it calls the library: from its beginning to its end is the time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shmem.h"

namespace gondwana::profile {

class Call {
 public:
  // `number` is that of call_names; `bytes` what the arguments say is moved or allocated.
  explicit Call(std::size_t number, std::size_t bytes = 0);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 protected:
  bool counts() const { return cell_ != nullptr; }
  void begin_again();

 private:
  std::uint64_t* cell_;  // nothing: not counted, or not now
  std::size_t bytes_;
  std::uint64_t began_ = 0;
};

enum class Traffic : std::size_t { put, get, atomic };

// A call that moves bytes between the caller and another PE.
class Transfer : public Call {
 public:
  Transfer(std::size_t number, Traffic kind, std::size_t bytes, int pe);
  // `pe` is a number in the team of the context.
  Transfer(std::size_t number, Traffic kind, std::size_t bytes, shmem_ctx_t ctx, int pe);
};

}  // namespace gondwana::profile
