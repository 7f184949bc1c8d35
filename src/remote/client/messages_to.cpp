#include "remote/client/messages_to.hpp"

#include <algorithm>
#include <utility>

namespace gondwana::remote {
namespace {

// The size at which a batch is sent. It is large enough to justify the cost, and small enough that
// the receiver handles one batch while the next one fills.
constexpr std::size_t full_size = 4 * 1024;

static_assert(full_size + sizeof(Request) + longest_gathered <= longest_message,
              "a rank receives no longer batch");

}  // namespace

bool MessagesTo::is_full() const {
  return is_open() && size_ >= std::min(full_size, shared_.batch_limit);
}

bool MessagesTo::has_grown() {
  return std::exchange(seen_size_, size_) != size_;
}

bool MessagesTo::append(Bytes head, Bytes body) {
  const Request request{.kind = RequestKind::message,
                        .to = index(to_),
                        .offset = next_number(),
                        .operand = head.size() + body.size()};
  while (true) {
    const bool is_new = !is_open();
    if (is_new && !open()) return false;
    std::byte* end = write(open_->bytes() + size_, request);
    end = std::ranges::copy(body, std::ranges::copy(head, end).out).out;
    size_ = static_cast<std::size_t>(end - open_->bytes());
    if (is_new) shared_.slots.leave_open(*open_, size_);
    if (is_new || open_->state().extend(static_cast<std::uint32_t>(size_))) return true;
    close();  // the agent has taken the batch without this message
  }
}

bool MessagesTo::open() {
  open_ = shared_.slots.take();
  if (open_ == nullptr) return false;
  const Batch head{.tag = shared_.tag, .from = shared_.me, .number = incarnation_, .node = node()};
  write(open_->bytes(), head);
  size_ = sizeof(head);
  shared_.gathering.push_back(this);
  return true;
}

Result<Posted> MessagesTo::flush() {
  if (!is_open()) return Posted::accepted;
  BatchState<RealAtomics>& state = open_->state();
  if (!state.take(state.look())) {
    close();  // the agent has taken it
    return Posted::accepted;
  }
  Result<Posted> sent = shared_.route.send_batch_to_rank(to_, *open_, size_);
  if (sent && *sent == Posted::accepted)
    close();
  else
    state.reopen();
  return sent;
}

void MessagesTo::abandon() {
  if (!is_open()) return;
  BatchState<RealAtomics>& state = open_->state();
  if (state.take(state.look())) state.clear();
  close();
}

void MessagesTo::renew(std::uint32_t incarnation) {
  abandon();
  incarnation_ = incarnation;
  last_ = 0;
}

// Called when this rank or the agent has sent the batch.
void MessagesTo::close() {
  shared_.slots.give_back(*std::exchange(open_, nullptr));
  std::erase(shared_.gathering, this);
}

}  // namespace gondwana::remote
