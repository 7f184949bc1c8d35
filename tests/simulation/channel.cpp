#include "simulation/channel.hpp"

#include <algorithm>

namespace gondwana::simulation {

void Channel::listen(std::function<void()> on_ready) {
  on_ready_ = std::move(on_ready);
  if (has_unread()) on_ready_();
}

void Channel::write(std::string bytes) {
  if (!closed_) written_ += bytes.size();
  while (!closed_ && !bytes.empty()) {
    // Now and then a frame arrives in pieces.
    const std::size_t size = random_.one_in(8) ? random_.between(1, bytes.size()) : bytes.size();
    send({.bytes = bytes.substr(0, size)});
    bytes.erase(0, size);
  }
}

void Channel::write_shared(const std::shared_ptr<const std::string>& frame) {
  constexpr std::size_t long_frame = 1 << 16;  // in jobs of a thousand hosts
  if (frame->size() < long_frame) return write(*frame);
  if (closed_) return;
  written_ += frame->size();
  send({.frame = frame});
}

// It arrives with the last of those bytes, not later.
void Channel::mark(std::function<void()> on_read) {
  if (closed_) return;
  if (under_way_.empty() || under_way_.back().mark || under_way_.back().is_end)
    send({.mark = std::move(on_read)});
  else
    under_way_.back().mark = std::move(on_read);
}

void Channel::close() {
  if (std::exchange(closed_, true)) return;
  send({.is_end = true});
}

void Channel::reset() {
  under_way_.clear();
  closed_ = true;
  send({.is_end = true});
}

void Channel::cut() {
  under_way_.clear();
  closed_ = true;
  if (abandoned_) return;
  arrived_.push_back({.is_end = true});
  if (on_ready_) on_ready_();
}

void Channel::send(Item item) {
  item.at = last_at_ = std::max(last_at_, schedule_.now() + random_.skewed(latency_) + slow_);
  schedule_.at(item.at, [this] { arrive(); });
  under_way_.push_back(std::move(item));
}

void Channel::set_silent(bool silent) {
  silent_ = silent;
  if (!silent) arrive();
}

void Channel::arrive() {
  if (silent_) return;
  bool any = false;
  while (!under_way_.empty() && under_way_.front().at <= schedule_.now()) {
    Item item = std::move(under_way_.front());
    under_way_.pop_front();
    if (item.is_end && on_end_arrived) schedule_.after(0, on_end_arrived);
    if (abandoned_) continue;
    any = true;
    const bool joins = !arrived_.empty() && !arrived_.back().mark && !arrived_.back().frame &&
                       !item.frame && !item.is_end;
    if (!joins) {
      arrived_.push_back(std::move(item));
      continue;
    }
    arrived_.back().bytes += item.bytes;
    arrived_.back().mark = std::move(item.mark);
  }
  if (any && on_ready_) on_ready_();
}

std::optional<Channel::Item> Channel::read(std::size_t most) {
  if (arrived_.empty()) return std::nullopt;
  Item& first = arrived_.front();
  if (first.bytes.size() > most) {
    Item part{.bytes = first.bytes.substr(0, most)};
    first.bytes.erase(0, most);
    return part;
  }
  Item item = std::move(first);
  arrived_.pop_front();
  return item;
}

void Channel::abandon() {
  abandoned_ = true;
  arrived_.clear();
}

}  // namespace gondwana::simulation
