// The batch that gathers requests of a rank. The rank may leave it open: if the rank makes no call,
// the agent of its node takes the batch and sends it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "network/posted.hpp"
#include "remote/client/batch_slots.hpp"
#include "remote/protocol.hpp"

namespace gondwana::remote {

class OpenBatch {
 public:
  using Send = FunctionRef<Result<Posted>(BatchSlots::Slot&, std::size_t)>;

  explicit OpenBatch(BatchSlots& slots) : slots_(slots) {}

  bool is_open() const { return slot_ != nullptr; }
  bool is_left_open() const { return is_left_open_; }
  std::size_t size() const { return size_; }  // bytes; also valid after the batch is closed
  // Whether it has grown since the last call.
  bool has_grown() { return std::exchange(seen_size_, size_) != size_; }

  // False: all slots are in use.
  bool open(const Batch& head) {
    slot_ = slots_.take();
    if (slot_ == nullptr) return false;
    write(slot_->bytes(), head);
    size_ = sizeof(head);
    return true;
  }
  // Where the next request begins.
  std::byte* end() const { return slot_->bytes() + size_; }
  // The bytes up to `size` are written. False: the agent has taken the batch without the new ones.
  bool extend(std::size_t size) {
    if (is_left_open_ && !slot_->state().extend(static_cast<std::uint32_t>(size))) return false;
    size_ = size;
    return true;
  }
  // From now on the agent may take it.
  void leave_open() {
    if (is_left_open_) return;
    slots_.leave_open(*slot_, size_);
    is_left_open_ = true;
  }
  // Accepted: this rank or the agent has sent it, and the caller closes it.
  Result<Posted> flush(Send send) const {
    BatchState<RealAtomics>& state = slot_->state();
    if (is_left_open_ && !state.take(state.value())) return Posted::accepted;
    Result<Posted> sent = send(*slot_, size_);
    if (is_left_open_ && !(sent && *sent == Posted::accepted)) state.reopen();
    return sent;
  }
  void close() {
    slots_.give_back(*std::exchange(slot_, nullptr));
    is_left_open_ = false;
  }
  // Drops the batch, unless the agent has taken it. The caller closes it.
  void drop() const {
    BatchState<RealAtomics>& state = slot_->state();
    if (is_left_open_ && state.take(state.value())) state.clear();
  }

 private:
  BatchSlots& slots_;
  BatchSlots::Slot* slot_ = nullptr;
  bool is_left_open_ = false;
  std::size_t size_ = 0;
  std::size_t seen_size_ = 0;
};

}  // namespace gondwana::remote
