#include "remote/client/messages_to.hpp"

#include <algorithm>

namespace gondwana::remote {
namespace {

// The size at which a batch is sent. It is large enough to justify the cost, and small enough that
// the receiver handles one batch while the next one fills.
constexpr std::size_t full_size = 4 * 1024;

static_assert(full_size + sizeof(Request) + longest_gathered <= longest_message,
              "a rank receives no longer batch");

}  // namespace

bool MessagesTo::is_full() const {
  return is_open() && open_.size() >= std::min(full_size, shared_.batch_limit);
}

bool MessagesTo::append(Bytes head, Bytes body) {
  const Request request{.kind = RequestKind::message,
                        .to = index(to_),
                        .offset = next_number(),
                        .operand = head.size() + body.size()};
  const std::size_t size = sizeof(request) + head.size() + body.size();
  while (true) {
    if (!is_open()) {
      if (!open_.open(
              {.tag = shared_.tag, .from = shared_.me, .number = incarnation_, .node = node()}))
        return false;
      shared_.gathering.push_back(this);
    }
    std::ranges::copy(body, std::ranges::copy(head, write(open_.end(), request)).out);
    if (open_.extend(open_.size() + size)) break;
    close();  // the agent has taken the batch without this message
  }
  open_.leave_open();
  return true;
}

Result<Posted> MessagesTo::flush() {
  if (!is_open()) return Posted::accepted;
  Result<Posted> sent = open_.flush([this](BatchSlots::Slot& slot, std::size_t size) {
    return shared_.route.send_batch_to_rank(to_, slot, size);
  });
  if (sent && *sent == Posted::accepted) close();
  return sent;
}

void MessagesTo::abandon() {
  if (!is_open()) return;
  open_.drop();
  close();
}

void MessagesTo::renew(std::uint32_t incarnation, const Stream& stream) {
  abandon();
  stream_ = &stream;
  incarnation_ = incarnation;
  last_ = 0;
}

// Called when this rank or the agent has sent the batch.
void MessagesTo::close() {
  open_.close();
  std::erase(shared_.gathering, this);
}

}  // namespace gondwana::remote
