#include "engine/am/mail.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gondwana {
namespace {

// Requests that were handled before their sender is told, if nothing else goes there meanwhile.
constexpr std::uint32_t tell_after = Mail::window / 2;

Mail::Sort sort_of(MessageClass sort) {
  if (sort == MessageClass::notice) return Mail::Sort::notice;
  return sort == MessageClass::request ? Mail::Sort::request : Mail::Sort::reply;
}

bool needs_credit(Mail::Sort sort) {
  return sort == Mail::Sort::request || sort == Mail::Sort::notice;
}

template <typename T>
MutableBytes bytes_of(T& object) {
  return std::as_writable_bytes(std::span(&object, 1));
}

}  // namespace

Mail::Mail(Wire& wire, std::recursive_mutex& turn, const NodeMemory& memory, Rank me,
           std::uint32_t ranks)
    : wire_(wire),
      turn_(turn),
      memory_(memory),
      me_(me),
      ranks_(ranks),
      generation_(static_cast<std::uint16_t>(
          memory.page(me).legacy.generation.load(std::memory_order_relaxed))) {
  wire_.listen([this](Rank from, Bytes mail) { receive(from, mail); });
}

Mail::Parcel& Mail::take_parcel() {
  if (free_.empty()) free_.push_back(&parcels_.emplace_back());
  Parcel& parcel = *free_.back();
  free_.pop_back();
  return parcel;
}

Mail::Parcel* Mail::try_open(Rank to, MessageClass sort, Payload payload) {
  const std::scoped_lock turn(turn_);
  Peer& peer = peers_[index(to)];
  if (needs_credit(sort_of(sort))) {
    if (peer.under_way + peer.replies >= window) return nullptr;
    ++peer.under_way;
  }
  Parcel& parcel = take_parcel();
  parcel.peer = to;
  parcel.letter.head = {.sort = sort_of(sort)};
  if (payload == Payload::block) {
    parcel.block.resize(longest_body);
    parcel.letter.head.bytes = longest_body;
  }
  return &parcel;
}

void Mail::publish(Parcel& parcel) {
  const std::scoped_lock turn(turn_);
  Head& head = parcel.letter.head;
  if (head.bytes > 0) head.bytes = std::min(parcel.letter.message.payload_bytes, head.bytes);
  send(parcel.peer, bytes_of(parcel.letter), Bytes(parcel.block).first(head.bytes));
  free_.push_back(&parcel);
}

void Mail::cancel(Parcel& parcel) {
  const std::scoped_lock turn(turn_);
  if (needs_credit(parcel.letter.head.sort)) --peers_[index(parcel.peer)].under_way;
  free_.push_back(&parcel);
}

// The word goes with the last of the bytes.
bool Mail::update(Rank to, const Update& update) {
  const std::scoped_lock turn(turn_);
  std::size_t at = 0;
  do {
    const Bytes piece = update.bytes.subspan(at, std::min(longest_body, update.bytes.size() - at));
    const bool last = at + piece.size() == update.bytes.size();
    Change change{.head = {.sort = Sort::update, .bytes = static_cast<std::uint32_t>(piece.size())},
                  .zero = 0,
                  .offset = update.offset + at,
                  .word_offset = last ? update.word_offset : Update::nowhere,
                  .word = update.word};
    send(to, bytes_of(change), piece);
    at += piece.size();
  } while (at < update.bytes.size());
  return is_all_sent() && wire_.departed();
}

// Mail to one peer goes in order: none overtakes what waits.
void Mail::send(Rank to, MutableBytes letter, Bytes body) {
  Peer& peer = peers_[index(to)];
  if (peer.waiting == 0 && try_send(to, letter, body)) return;
  Waiting waits{to, {letter.begin(), letter.end()}};
  waits.mail.insert(waits.mail.end(), body.begin(), body.end());
  waiting_.push_back(std::move(waits));
  add(memory_.page(me_).traffic.under_way, 1);
  ++peer.waiting;
}

// True: gone, or lost with its receiver; then the wire says so.
bool Mail::try_send(Rank to, MutableBytes letter, Bytes body) {
  Peer& peer = peers_[index(to)];
  Head head;
  std::memcpy(&head, letter.data(), sizeof(head));
  head.generation = generation_;
  head.taken = peer.owed;
  std::memcpy(letter.data(), &head, sizeof(head));
  const Result<Posted> posted = wire_.send_mail(to, letter, body);
  if (posted && *posted == Posted::busy) return false;
  peer.owed = 0;
  return true;
}

void Mail::move_on() {
  if (waiting_.empty()) return;
  std::vector<Rank> full;
  std::erase_if(waiting_, [&](Waiting& each) {
    if (std::ranges::find(full, each.to) != full.end()) return false;
    if (!try_send(each.to, each.mail, {})) {
      full.push_back(each.to);
      return false;
    }
    --peers_[index(each.to)].waiting;
    add(memory_.page(me_).traffic.under_way, ~std::uint64_t{0});
    return true;
  });
}

// Of a member of this job: what makes no sense all the same is dropped, and so is what was meant
// for the engine before this one. Of the one after it come updates only, which number themselves:
// whatever else goes to members that have met in it.
void Mail::receive(Rank from, Bytes mail) {
  Head head;
  if (mail.size() < sizeof(head) || index(from) >= ranks_) return;
  std::memcpy(&head, mail.data(), sizeof(head));
  if (static_cast<std::int16_t>(head.generation - generation_) < 0) return;
  Peer& peer = peers_[index(from)];
  peer.under_way -= std::min(peer.under_way, head.taken);
  if (head.sort == Sort::request) keep(from, MessageClass::request, mail);
  if (head.sort == Sort::reply || head.sort == Sort::notice) keep(from, MessageClass::reply, mail);
  if (head.sort == Sort::update) carry_out(mail);
}

void Mail::keep(Rank from, MessageClass sort, Bytes mail) {
  Head head;
  std::memcpy(&head, mail.data(), sizeof(head));
  if (head.bytes > longest_body || mail.size() != sizeof(Letter) + head.bytes) return;
  Parcel& parcel = take_parcel();
  std::memcpy(&parcel.letter, mail.data(), sizeof(Letter));
  parcel.peer = from;
  const Bytes body = mail.subspan(sizeof(Letter));
  if (parcel.block.size() < body.size()) parcel.block.resize(longest_body);
  std::ranges::copy(body, parcel.block.begin());
  if (head.sort == Sort::reply) ++peers_[index(from)].replies;
  const auto number = static_cast<std::size_t>(sort);
  arrived_[number].push_back(&parcel);
  how_many_[number].fetch_add(1, std::memory_order_relaxed);
}

// Threads of this rank may sleep until it comes.
void Mail::carry_out(Bytes mail) {
  Change change;
  if (mail.size() < sizeof(change)) return;
  std::memcpy(&change, mail.data(), sizeof(change));
  const Bytes bytes = mail.subspan(sizeof(change));
  const std::size_t room = memory_.plan().inbox_offset();
  if (bytes.size() != change.head.bytes || change.offset > room ||
      bytes.size() > room - change.offset)
    return;
  std::byte* arena = memory_.window(me_);
  if (!bytes.empty()) std::memcpy(arena + change.offset, bytes.data(), bytes.size());
  if (change.word_offset > room - sizeof(change.word) ||
      change.word_offset % sizeof(change.word) != 0)
    return;
  auto& word = *reinterpret_cast<std::uint64_t*>(arena + change.word_offset);
  std::atomic_ref(word).store(change.word, std::memory_order_seq_cst);  // with who acquires it
  memory_.data_bell(me_).ring_if_asleep();
  memory_.page(me_).sync_bell.ring_if_asleep();
}

Mail::Parcel* Mail::next(MessageClass sort) {
  const auto number = static_cast<std::size_t>(sort);
  if (how_many_[number].load(std::memory_order_relaxed) == 0) return nullptr;
  const std::scoped_lock turn(turn_);
  if (arrived_[number].empty()) return nullptr;
  Parcel* parcel = arrived_[number].front();
  arrived_[number].pop_front();
  how_many_[number].fetch_sub(1, std::memory_order_relaxed);
  return parcel;
}

void Mail::finish(Parcel& parcel) {
  const std::scoped_lock turn(turn_);
  free_.push_back(&parcel);
  Peer& peer = peers_[index(parcel.peer)];
  if (!needs_credit(parcel.letter.head.sort)) {
    --peer.replies;
    return;
  }
  if (++peer.owed < tell_after) return;
  Head receipt{.sort = Sort::receipt};
  send(parcel.peer, bytes_of(receipt), {});
}

}  // namespace gondwana
