#include "front/armci/mailbox.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "front/armci/door.hpp"

namespace gondwana::armci {
namespace {

// The name of a message combines the rank of its sender and its offset there, in granules. 0 names
// no message.
constexpr unsigned offset_bits = 40;

std::uint64_t name_of(Rank from, std::uint64_t offset) {
  return (std::uint64_t{index(from)} + 1) << offset_bits | offset / Heap::granule;
}
Rank sender_of(std::uint64_t name) {
  return Rank(static_cast<std::uint32_t>((name >> offset_bits) - 1));
}
std::uint64_t offset_of(std::uint64_t name) {
  return (name & ((std::uint64_t{1} << offset_bits) - 1)) * Heap::granule;
}

}  // namespace

Mailbox::~Mailbox() {
  for (std::byte* message : sent_) door_.heap().release(message);
}

void Mailbox::send(CallName call, Kind kind, int tag, Bytes bytes, Rank to) {
  reclaim();
  std::byte* message = door_.heap().allocate(sizeof(Head) + bytes.size());
  if (message == nullptr)
    give_up(call, fmt::format("cannot send a message of {} bytes: only {} are free; unreceived "
                              "messages occupy memory of their senders",
                              bytes.size(), door_.heap().largest_free()));
  auto& head = *new (message)
                   Head{.size = bytes.size(), .kind = static_cast<std::uint32_t>(kind), .tag = tag};
  door_.memory().copy(call, message + sizeof(Head), bytes.data(), bytes.size());
  sent_.push_back(message);
  const auto offset = static_cast<std::uint64_t>(message - door_.memory().own_arena());
  const std::uint64_t name = name_of(door_.rank(), offset);
  const std::uint64_t top = door_.words().of(to) + offsetof(ArmciWords, newest_message);
  std::uint64_t seen = door_.words().request(call, to, top, {AtomicOp::fetch, AtomicType::uint64});
  for (;;) {
    std::atomic_ref(head.below).store(seen, std::memory_order_release);
    const AtomicRequest exchange{AtomicOp::compare_swap, AtomicType::uint64, name, seen};
    const std::uint64_t found = door_.words().request(call, to, top, exchange);
    if (found == seen) return;
    seen = found;
  }
}

// Frees messages that the receiver has taken. Checks less often if many are not taken.
void Mailbox::reclaim() {
  if (sent_.size() < next_reclaim_) return;
  std::erase_if(sent_, [this](std::byte* message) {
    auto& head = *reinterpret_cast<Head*>(message);
    if (std::atomic_ref(head.is_taken).load(std::memory_order_acquire) == 0) return false;
    door_.heap().release(message);
    return true;
  });
  next_reclaim_ = 2 * sent_.size() + 16;
}

Mailbox::Head Mailbox::head_of(CallName call, Rank from, std::uint64_t offset) const {
  Head head;
  const auto bytes = std::as_writable_bytes(std::span(&head, 1));
  if (door_.memory().is_near(from)) {
    std::memcpy(bytes.data(), static_cast<std::byte*>(door_.memory().name_of(from, offset)),
                bytes.size());
  } else {
    door_.check(call, door_.engine().remote().get(door_.lane(), bytes, {from, offset}));
  }
  return head;
}

// Takes the whole stack, and appends its messages in the order in which they were pushed.
void Mailbox::poll(CallName call) {
  const KeptTurn kept;
  const std::uint64_t top = door_.words().of(door_.rank()) + offsetof(ArmciWords, newest_message);
  std::uint64_t name = std::atomic_ref(door_.words().own(top)).exchange(0);
  std::vector<Arrived> newest_first;
  while (name != 0) {
    const Rank from = sender_of(name);
    const Head head = head_of(call, from, offset_of(name));
    newest_first.push_back(
        {from, offset_of(name), head.size, head.tag, static_cast<Kind>(head.kind)});
    name = head.below;
  }
  arrived_.insert(arrived_.end(), newest_first.rbegin(), newest_first.rend());
  ++polls_;
}

std::optional<Mailbox::Arrived> Mailbox::find(Kind kind, int tag, std::optional<Rank> from) {
  const auto found = std::ranges::find_if(arrived_, [&](const Arrived& each) {
    return each.kind == kind && each.tag == tag && (!from || each.from == *from);
  });
  if (found == arrived_.end()) return std::nullopt;
  const Arrived message = *found;
  arrived_.erase(found);
  return message;
}

Mailbox::Arrived Mailbox::wait(CallName call, Kind kind, int tag, std::optional<Rank> from) {
  const std::uint64_t top = door_.words().of(door_.rank()) + offsetof(ArmciWords, newest_message);
  const std::atomic_ref word(door_.words().own(top));
  const std::uint32_t peer = from ? index(*from) : Waiting::any_rank;
  for (;;) {
    if (const std::optional<Arrived> message = find(kind, tag, from)) return *message;
    const std::uint64_t polls = polls_;
    const auto is_news = [&] {
      return polls_ != polls || word.load(std::memory_order_acquire) != 0;
    };
    door_.engine().waiter().on_memory(call, is_news, peer);
    if (polls_ == polls) poll(call);
  }
}

void Mailbox::take(CallName call, const Arrived& message, MutableBytes bytes) {
  if (message.size != bytes.size())
    give_up(call, fmt::format("process {} sent {} bytes where {} were expected: the processes have "
                              "called with different arguments",
                              index(message.from), message.size, bytes.size()));
  const std::uint64_t place = message.offset + sizeof(Head);
  if (!bytes.empty() && door_.memory().is_near(message.from)) {
    door_.memory().copy(call, bytes.data(), door_.memory().name_of(message.from, place),
                        bytes.size());
  } else if (!bytes.empty()) {
    const OnHost on_host(door_.memory(), call, bytes, OnHost::Use::written);
    door_.check(call,
                door_.engine().remote().get(door_.lane(), on_host.bytes(), {message.from, place}));
  }
  door_.words().store(call, message.from, message.offset + offsetof(Head, is_taken), 1);
}

}  // namespace gondwana::armci
