#include "transport/loopback.hpp"

#include <fmt/format.h>

#include <thread>

#include "transport/copy.hpp"

namespace gondwana {

Result<std::byte*> Loopback::locate(Remote place, std::size_t size) const {
  for (const auto& node : nodes_) {
    const NodePlan& plan = node->plan();
    if (!plan.holds(place.rank)) continue;
    if (size > plan.arena_size() || place.offset > plan.arena_size() - size) break;
    return node->window(place.rank) + place.offset;
  }
  return Error{Errc::invalid_argument,
               fmt::format("{} B at offset {} of rank {} are outside every arena", size,
                           place.offset, index(place.rank))};
}

Posted Loopback::post(std::variant<Put, Get, Spread, Atomic> what, Completion& done) {
  if (queue_.size() >= queue_length) return Posted::busy;
  done.begin();
  queue_.push_back({std::move(what), &done});
  return Posted::accepted;
}

Result<Posted> Loopback::put(Remote to, Bytes source, Completion& done) {
  const Result<std::byte*> place = locate(to, source.size());
  if (!place) return place.error();
  return post(Put{*place, source}, done);
}

Result<Posted> Loopback::get(MutableBytes target, Remote from, Completion& done) {
  const Result<std::byte*> place = locate(from, target.size());
  if (!place) return place.error();
  return post(Get{target, *place}, done);
}

Result<Posted> Loopback::spread(Remote to, Pieces pieces, Bytes source, Completion& done) {
  const Remote last{to.rank, to.offset + static_cast<std::uint64_t>(pieces.distance())};
  const Result<std::byte*> first = locate(to, pieces.size);
  if (!first) return first.error();
  if (const Result<std::byte*> end = locate(last, pieces.size); !end) return end.error();
  return post(Spread{*first, pieces, {source.begin(), source.end()}}, done);
}

Result<Posted> Loopback::atomic(Remote at, const AtomicRequest& request, std::byte* result,
                                Completion& done) {
  const Result<std::byte*> place = locate(at, width(request.type));
  if (!place) return place.error();
  return post(Atomic{*place, request, result}, done);
}

Result<Posted> Loopback::send_mail(Rank to, Bytes head, Bytes body) {
  if (index(to) >= boxes_->ranks() || head.size() + body.size() > Mailboxes::longest_mail)
    return Error{Errc::invalid_argument, fmt::format("no mail of {} B goes to rank {}",
                                                     head.size() + body.size(), index(to))};
  return boxes_->post(me_, to, head, body) ? Posted::accepted : Posted::busy;
}

bool Loopback::progress() {
  const bool executed = execute_one();
  return receive_one() || executed;
}

// Nobody tells of mail: who may send some gets the processor.
void Loopback::sleep(std::chrono::microseconds /*limit*/) const {
  if (queue_.empty()) std::this_thread::yield();
}

bool Loopback::receive_one() {
  if (!receiver_) return false;
  const std::optional<Mailboxes::Mail> mail = boxes_->take(me_);
  if (mail) receiver_(mail->from, mail->bytes);
  return mail.has_value();
}

bool Loopback::execute_one() {
  if (queue_.empty()) return false;
  const Operation operation = std::move(queue_.front());
  queue_.pop_front();
  if (const auto* put = std::get_if<Put>(&operation.what)) {
    copy_to_peer(put->to, put->source.data(), put->source.size());
  } else if (const auto* get = std::get_if<Get>(&operation.what)) {
    copy_from_peer(get->target.data(), get->from, get->target.size());
  } else if (const auto* spread = std::get_if<Spread>(&operation.what)) {
    copy_pieces(spread->first, spread->pieces, spread->source);
  } else {
    const auto& atomic = std::get<Atomic>(operation.what);
    const std::uint64_t old =
        find_executor(atomic.request.op, atomic.request.type)(atomic.at, atomic.request);
    if (atomic.result != nullptr) std::memcpy(atomic.result, &old, width(atomic.request.type));
  }
  operation.done->finish();
  return true;
}

}  // namespace gondwana
