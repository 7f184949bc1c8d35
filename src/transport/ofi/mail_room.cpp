#include "transport/ofi/mail_room.hpp"

#include <utility>

namespace gondwana::ofi {

void MailRoom::listen(MailReceiver receiver) {
  receiver_ = std::move(receiver);
  is_new_ = true;
}

MailRoom::Sender& MailRoom::sender_of(Rank from) {
  std::unique_ptr<Sender>& sender = senders_[index(from)];
  if (!sender) sender = std::make_unique<Sender>();
  return *sender;
}

bool MailRoom::take(const ReceivedMail& mail) {
  Sender& sender = sender_of(mail.from);
  const std::uint32_t ahead = mail.number - sender.next;
  if (ahead >= std::uint32_t{1} << 31) return false;  // numbers go round
  if (ahead > 0 || !receiver_ || is_new_)
    return sender.kept.try_emplace(mail.number, mail.bytes.begin(), mail.bytes.end()).second;
  ++sender.next;
  receiver_(mail.from, mail.bytes);
  deliver_from(index(mail.from));
  return true;
}

bool MailRoom::deliver() {
  if (!receiver_ || !is_new_) return false;
  is_new_ = false;
  bool any = false;
  for (std::uint32_t from = 0; from < senders_.size(); ++from) any |= deliver_from(from);
  return any;
}

bool MailRoom::deliver_from(std::uint32_t from) {
  if (!senders_[from]) return false;
  Sender& sender = *senders_[from];
  bool any = false;
  for (auto next = sender.kept.extract(sender.next); next;
       next = sender.kept.extract(sender.next)) {
    ++sender.next;
    receiver_(Rank(from), next.mapped());
    any = true;
  }
  return any;
}

}  // namespace gondwana::ofi
