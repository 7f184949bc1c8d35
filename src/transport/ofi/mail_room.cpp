#include "transport/ofi/mail_room.hpp"

#include <utility>

namespace gondwana::ofi {

void MailRoom::listen(MailReceiver receiver) {
  receiver_ = std::move(receiver);
  is_new_ = true;
}

InOrder& MailRoom::from(Rank sender) {
  std::unique_ptr<InOrder>& order = senders_[index(sender)];
  if (!order) order = std::make_unique<InOrder>();
  return *order;
}

bool MailRoom::take(const ReceivedMail& mail) {
  InOrder& order = from(mail.from);
  if (order.is_past(mail.number)) return false;
  if (!order.is_next(mail.number) || !receiver_ || is_new_)
    return order.keep(mail.number, mail.bytes);
  order.pass();
  receiver_(mail.from, mail.bytes);
  deliver_kept(mail.from);
  return true;
}

bool MailRoom::deliver() {
  if (!receiver_ || !is_new_) return false;
  is_new_ = false;
  bool any = false;
  for (std::uint32_t sender = 0; sender < senders_.size(); ++sender)
    any |= senders_[sender] != nullptr && deliver_kept(Rank(sender));
  return any;
}

bool MailRoom::deliver_kept(Rank sender) {
  InOrder& order = from(sender);
  bool any = false;
  while (const auto next = order.pass_kept()) {
    receiver_(sender, *next);
    any = true;
  }
  return any;
}

}  // namespace gondwana::ofi
