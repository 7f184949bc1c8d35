#include "remote/client/mail_room.hpp"

#include <utility>

namespace gondwana::remote {

void MailRoom::listen(MailReceiver receiver) {
  receiver_ = std::move(receiver);
  is_new_ = true;
}

bool MailRoom::take(const ReceivedMail& mail) {
  InOrder& order = senders_[index(mail.from)];
  if (order.is_past(mail.number)) return false;
  if (!order.is_next(mail.number) || !receiver_ || is_new_)
    return order.keep(mail.number, mail.bytes);
  order.pass();
  receiver_(mail.from, mail.bytes);
  deliver_kept(mail.from, order);
  return true;
}

bool MailRoom::deliver() {
  if (!receiver_ || !is_new_) return false;
  is_new_ = false;
  bool any = false;
  for (auto& [sender, order] : senders_) any |= deliver_kept(Rank(sender), order);
  return any;
}

bool MailRoom::deliver_kept(Rank sender, InOrder& order) {
  bool any = false;
  while (const auto next = order.pass_kept()) {
    receiver_(sender, *next);
    any = true;
  }
  return any;
}

}  // namespace gondwana::remote
