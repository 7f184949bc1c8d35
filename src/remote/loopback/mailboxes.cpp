#include "remote/loopback/mailboxes.hpp"

#include <utility>

namespace gondwana {

bool Mailboxes::post(Rank from, Rank to, Bytes head, Bytes body) {
  Mail mail{from, {head.begin(), head.end()}};
  mail.bytes.insert(mail.bytes.end(), body.begin(), body.end());
  Box& box = boxes_[index(to)];
  const std::scoped_lock lock(box.mutex);
  if (box.mails.size() >= room) return false;
  box.mails.push_back(std::move(mail));
  return true;
}

std::optional<Mailboxes::Mail> Mailboxes::take(Rank owner) {
  Box& box = boxes_[index(owner)];
  const std::scoped_lock lock(box.mutex);
  if (box.mails.empty()) return std::nullopt;
  std::optional<Mail> first(std::move(box.mails.front()));
  box.mails.pop_front();
  return first;
}

}  // namespace gondwana
