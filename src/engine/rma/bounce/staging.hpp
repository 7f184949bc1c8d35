// Host memory for chunks on their way between a device of this process and other nodes. Chunks are
// kept for the next transfer, and stay pinned for the driver of the device.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "core/types.hpp"
#include "engine/rma/bounce/landings.hpp"
#include "spaces/kinds/kind.hpp"

namespace gondwana::bounce {

// Thread-safe.
class Staging {
 public:
  Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    for (const auto& [kind, chunks] : kept_)
      for (std::byte* chunk : chunks) free(kind, chunk);
  }

  // Returns chunk_size bytes. `kind`: the kind whose copies use them; null: none.
  std::byte* take(Kind* kind) {
    {
      const std::scoped_lock lock(mutex_);
      std::vector<std::byte*>& chunks = kept_[kind];
      if (!chunks.empty()) {
        std::byte* chunk = chunks.back();
        chunks.pop_back();
        return chunk;
      }
    }
    auto* chunk = static_cast<std::byte*>(::operator new(chunk_size, page));
    if (kind != nullptr) static_cast<void>(kind->pin({chunk, chunk_size}));
    return chunk;
  }
  void give_back(Kind* kind, std::byte* chunk) {
    const std::scoped_lock lock(mutex_);
    std::vector<std::byte*>& chunks = kept_[kind];
    if (chunks.size() < max_kept) return chunks.push_back(chunk);
    free(kind, chunk);
  }

 private:
  static constexpr std::align_val_t page{4096};
  static constexpr std::size_t max_kept = 16;

  static void free(Kind* kind, std::byte* chunk) {
    if (kind != nullptr) kind->unpin(chunk);
    ::operator delete(chunk, page);
  }

  std::mutex mutex_;  // guards kept_
  std::map<Kind*, std::vector<std::byte*>> kept_;
};

}  // namespace gondwana::bounce
