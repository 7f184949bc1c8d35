#include "network/ofi/receive_buffers.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <memory>

namespace gondwana::ofi {
namespace {

constexpr std::size_t min_buffer = 64 * 1024;
// The most buffers beyond the posted ones. One is needed for each full buffer into which a message
// is still in flight. Unknown processes may block theirs forever. Untouched buffers use no memory.
constexpr std::size_t max_unfinished = 4096;

}  // namespace

std::size_t ReceiveBuffers::buffer_size() const {
  return std::max(min_buffer, 4 * receives_.longest);
}

Result<void> ReceiveBuffers::post_all() {
  for (std::size_t i = 0; i < receives_.buffers; ++i) {
    const Result<Buffer*> buffer = add();
    if (!buffer) return buffer.error();
    if (Result<void> done = post(**buffer); !done) return done;
  }
  return {};
}

Result<ReceiveBuffers::Buffer*> ReceiveBuffers::add() {
  auto buffer = std::make_unique<Buffer>();
  buffer->bytes = std::make_unique_for_overwrite<std::byte[]>(buffer_size());
  if (local_)
    if (const Result<void> kept = local_->keep({buffer->bytes.get(), buffer_size()}); !kept)
      return kept.error();
  buffers_.push_back(std::move(buffer));
  return buffers_.back().get();
}

Result<void> ReceiveBuffers::post(Buffer& buffer) {
  buffer.filling = Filling(buffer_size(), receives_.longest);
  const iovec room{buffer.bytes.get(), buffer_size()};
  void* descriptor = nullptr;
  if (local_) {
    const Result<void*> kept =
        local_->descriptor({buffer.bytes.get(), buffer_size()}, FI_RECV, &buffer.operation);
    if (!kept) return kept.error();
    descriptor = *kept;
  }
  fi_msg message{};
  message.desc = descriptor == nullptr ? nullptr : &descriptor;
  message.msg_iov = &room;
  message.iov_count = 1;
  message.addr = FI_ADDR_UNSPEC;
  message.context = &buffer.operation;
  const ssize_t outcome = fi_recvmsg(&endpoint_, &message, FI_MULTI_RECV);
  if (outcome != 0) return error_of(library_, "receive", outcome);
  buffer.is_posted = true;
  posted_.push_back(&buffer);
  return {};
}

// The provider returns a full buffer with its last message, or in a separate event.
void ReceiveBuffers::note(const fi_cq_data_entry& entry) {
  auto& buffer = *static_cast<Buffer*>(entry.op_context);
  if ((entry.flags & FI_RECV) != 0) {
    const auto* bytes = static_cast<const std::byte*>(entry.buf);
    buffer.filling.add(static_cast<std::size_t>(bytes - buffer.bytes.get()), entry.len);
  }
  if ((entry.flags & FI_MULTI_RECV) != 0) buffer.filling.give_back();
  renew(buffer);
}

// The provider fills buffers in the order of posting. All buffers before one that received
// something are full, even without an event that says so. A full buffer with messages in flight is
// replaced.
void ReceiveBuffers::renew(Buffer& buffer) {
  if (buffer.is_posted) {
    while (posted_.front() != &buffer) retire(*posted_.front());
    if (buffer.filling.is_given_back()) retire(buffer);
  } else if (buffer.filling.is_done()) {
    spare_.push_back(&buffer);
  }
}

// Removes the first posted buffer.
void ReceiveBuffers::retire(Buffer& buffer) {
  posted_.pop_front();
  buffer.is_posted = false;
  buffer.filling.give_back();
  Buffer* next = &buffer;
  if (!buffer.filling.is_done()) {
    if (spare_.empty() && buffers_.size() < receives_.buffers + max_unfinished)
      if (const Result<Buffer*> added = add(); added) spare_.push_back(*added);
    if (spare_.empty()) return;
    next = spare_.back();
    spare_.pop_back();
  }
  const Result<void> posted = post(*next);
  GONDWANA_ASSERT(static_cast<bool>(posted), buffers_.size());
}

ReceiveBuffers::Buffer* ReceiveBuffers::find(const void* operation) const {
  const auto found = std::ranges::find_if(
      buffers_, [operation](const auto& buffer) { return &buffer->operation == operation; });
  return found == buffers_.end() ? nullptr : found->get();
}

// Truncated messages are foreign, because messages of this job fit into the rest of any posted
// buffer.
bool ReceiveBuffers::note_failure(const fi_cq_err_entry& entry) {
  Buffer* const buffer = find(entry.op_context);
  if (buffer == nullptr || entry.err == FI_ECANCELED) return buffer != nullptr;
  const auto* at = static_cast<const std::byte*>(entry.buf);
  const bool is_placed =
      at != nullptr && at >= buffer->bytes.get() && at < buffer->bytes.get() + buffer_size();
  if (is_placed)
    buffer->filling.fail(static_cast<std::size_t>(at - buffer->bytes.get()), entry.len);
  else
    buffer->filling.fail();
  if ((entry.flags & FI_MULTI_RECV) != 0) buffer->filling.give_back();
  renew(*buffer);
  return true;
}

}  // namespace gondwana::ofi
