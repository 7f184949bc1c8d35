#include "front/gasnet/message_memory.hpp"

#include <algorithm>
#include <cstring>

#include "front/gasnet/door.hpp"
#include "front/gasnet/messages.hpp"
#include "front/gasnet/outgoing.hpp"

namespace gondwana::gasnet {
namespace {

// Indices below those of clients.
enum Index : gex_AM_Index_t { put_index = 1, get_index, atomic_index, done_index, data_index };

// The start of each request. The bytes of a put follow. `here` and `done` are addresses in the
// sender's process.
struct Header {
  std::uint64_t there;
  std::uint64_t here;
  Completion* done;
  std::uint64_t bytes;
  AtomicRequest atomic;
};

// The start of each reply with data. The data follows.
struct Answer {
  std::uint64_t here;
  Completion* done;
};

constexpr std::size_t max_put = max_medium - sizeof(Header);
constexpr std::size_t max_get = max_medium - sizeof(Answer);

template <typename T>
T read(const void* payload) {
  T value;
  std::memcpy(&value, payload, sizeof(value));
  return value;
}

std::byte* memory_at(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);
}

Destination answer_to(gex_Token_t token) {
  return {*token->door,           token->process,      token->from_endpoint,
          token->endpoint->index, MessageClass::reply, "gex_RMA"};
}

void answer(gex_Token_t token, gex_AM_Index_t index, Bytes payload) {
  send_medium(answer_to(token), index, payload, nullptr, 0, {0, nullptr});
}

// Wakes threads of the owner, which may wait for the written memory.
void ring(gex_Token_t token) {
  const Door& door = *token->door;
  token->door->engine().memory().data_bell(Rank(door.rank())).ring_if_asleep();
}

void run_put(gex_Token_t token, const void* payload, std::size_t size) {
  const auto header = read<Header>(payload);
  copy_to_peer(memory_at(header.there), static_cast<const std::byte*>(payload) + sizeof(header),
               size - sizeof(header));
  ring(token);
  const Answer done{0, header.done};
  answer(token, done_index, std::as_bytes(std::span(&done, 1)));
}

void run_get(gex_Token_t token, const void* payload, std::size_t /*size*/) {
  const auto header = read<Header>(payload);
  const Answer data{header.here, header.done};
  std::vector<std::byte> message(sizeof(data) + header.bytes);
  std::memcpy(message.data(), &data, sizeof(data));
  copy_from_peer(message.data() + sizeof(data), memory_at(header.there), header.bytes);
  answer(token, data_index, message);
}

void run_atomic(gex_Token_t token, const void* payload, std::size_t /*size*/) {
  const auto header = read<Header>(payload);
  struct {
    Answer data;
    std::uint64_t old;
  } const message{
      {header.here, header.done},
      find_executor(header.atomic.op, header.atomic.type)(memory_at(header.there), header.atomic)};
  ring(token);
  answer(token, data_index, std::as_bytes(std::span(&message, 1)));
}

void run_done(gex_Token_t /*token*/, const void* payload, std::size_t /*size*/) {
  read<Answer>(payload).done->finish();
}

void run_data(gex_Token_t /*token*/, const void* payload, std::size_t size) {
  const auto data = read<Answer>(payload);
  std::memcpy(memory_at(data.here), static_cast<const std::byte*>(payload) + sizeof(data),
              size - sizeof(data));
  data.done->finish();
}

template <typename Function>
gex_AM_Entry_t entry(gex_AM_Index_t index, gex_Flags_t flags, Function* function) {
  return {index,
          reinterpret_cast<gex_AM_Fn_t>(function),
          flags | GEX_FLAG_AM_MEDIUM,
          0,
          nullptr,
          "memory of a process"};
}

// False: the queue was full.
bool send(Door& door, Remote to, gex_AM_Index_t index, Bytes payload, CallName call,
          MessageMemory::NoRoom no_room) {
  const gex_Flags_t flags = no_room == MessageMemory::NoRoom::refuse ? GEX_FLAG_IMMEDIATE : 0;
  return send_medium({door, gondwana::index(to.rank), 0, 0, MessageClass::request, call}, index,
                     payload, nullptr, flags, {0, nullptr}) == 0;
}

bool begin(Door& door, Remote to, gex_AM_Index_t index, Bytes payload, Completion& done,
           CallName call, MessageMemory::NoRoom no_room) {
  done.begin();
  if (send(door, to, index, payload, call, no_room)) return true;
  done.finish();
  return false;
}

// Calls begin(at, size) for pieces of at most `longest` bytes. Only the first may fail.
template <typename Begin>
bool in_pieces(std::size_t bytes, std::size_t longest, MessageMemory::NoRoom no_room,
               const Begin& begin) {
  for (std::size_t at = 0; at < bytes; at += longest) {
    if (!begin(at, std::min(longest, bytes - at), no_room)) return false;
    no_room = MessageMemory::NoRoom::wait;
  }
  return true;
}

}  // namespace

void MessageMemory::listen(gondwana_gex_endpoint& endpoint) {
  constexpr gex_Flags_t request = GEX_FLAG_AM_REQUEST;
  constexpr gex_Flags_t reply = GEX_FLAG_AM_REPLY;
  endpoint.handlers.add_own(entry(put_index, request, &run_put));
  endpoint.handlers.add_own(entry(get_index, request, &run_get));
  endpoint.handlers.add_own(entry(atomic_index, request, &run_atomic));
  endpoint.handlers.add_own(entry(done_index, reply, &run_done));
  endpoint.handlers.add_own(entry(data_index, reply, &run_data));
}

bool MessageMemory::begin_put(Completion& done, Remote to, Bytes source, CallName call,
                              NoRoom no_room) const {
  std::vector<std::byte> message;
  return in_pieces(
      source.size(), max_put, no_room, [&](std::size_t at, std::size_t size, NoRoom how) {
        const Header header{
            .there = to.offset + at, .here = 0, .done = &done, .bytes = size, .atomic = {}};
        message.resize(sizeof(header) + size);
        std::memcpy(message.data(), &header, sizeof(header));
        std::memcpy(message.data() + sizeof(header), source.data() + at, size);
        return begin(*door_, to, put_index, message, done, call, how);
      });
}

bool MessageMemory::begin_get(Completion& done, MutableBytes dest, Remote from, CallName call,
                              NoRoom no_room) const {
  return in_pieces(dest.size(), max_get, no_room,
                   [&](std::size_t at, std::size_t size, NoRoom how) {
                     const Header header{.there = from.offset + at,
                                         .here = reinterpret_cast<std::uintptr_t>(dest.data() + at),
                                         .done = &done,
                                         .bytes = size,
                                         .atomic = {}};
                     return begin(*door_, from, get_index, std::as_bytes(std::span(&header, 1)),
                                  done, call, how);
                   });
}

bool MessageMemory::begin_request(Completion& done, Remote at, const AtomicRequest& request,
                                  std::uint64_t& old, CallName call, NoRoom no_room) const {
  const Header header{.there = at.offset,
                      .here = reinterpret_cast<std::uintptr_t>(&old),
                      .done = &done,
                      .bytes = sizeof(old),
                      .atomic = request};
  return begin(*door_, at, atomic_index, std::as_bytes(std::span(&header, 1)), done, call, no_room);
}

void MessageMemory::wait(const Completion& done, CallName call) const {
  if (!done.done()) door_->progress().wait(call, [&] { return done.done(); });
}

void MessagePieces::move(const StridedRun& run) {
  for (std::size_t i = 0; i < run.count && !refused_; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const Remote there{rank_, run.there + static_cast<std::uint64_t>(at * run.there_stride)};
    std::byte* here = run.here + at * run.here_stride;
    const bool begun = side_ == strided::End::target
                           ? memory_.begin_put(done_, there, {here, run.size}, call_, no_room_)
                           : memory_.begin_get(done_, {here, run.size}, there, call_, no_room_);
    refused_ = !begun;
    no_room_ = MessageMemory::NoRoom::wait;
  }
}

bool MessagePieces::finish() {
  memory_.wait(done_, call_);
  return !refused_;
}

}  // namespace gondwana::gasnet
