// Sends requests of a rank to agents of other nodes.
#include <algorithm>
#include <cstring>
#include <utility>

#include "remote/client/client.hpp"

namespace gondwana {
namespace {

using remote::Destination;
using remote::NewRequest;
using remote::PackedRun;
using remote::Request;
using remote::RequestKind;

// A poll takes system calls, and a reply that arrives meanwhile can wait.
constexpr std::uint32_t requests_between_polls = 512;

constexpr auto nothing = [](std::byte*) {};

// Describes the pieces to the agent.
void write_runs(std::span<const StridedRun> pieces, std::byte* message) {
  for (const StridedRun& each : pieces) {
    const PackedRun run{.offset = each.there,
                        .stride = each.there_stride,
                        .size = static_cast<std::uint32_t>(each.size),
                        .count = static_cast<std::uint32_t>(each.count)};
    message = remote::write(message, run);
  }
}

// One store at the target, because a peer may be polling it.
bool is_word(std::size_t size, std::size_t offset) {
  return (size == 1 || size == 2 || size == 4 || size == 8) && offset % size == 0;
}

// Whether the bytes are contiguous at both ends.
bool is_whole(std::span<const StridedRun> pieces) {
  return pieces.size() == 1 && pieces.front().count == 1;
}

}  // namespace

// The caller waits for the result, so an open batch must be sent.
bool RemoteClient::has_executed(Rank at, std::uint64_t mark) {
  remote::Stream* stream = streams_.find(nodes_.node_of(at));
  if (stream == nullptr || stream->has_executed(mark)) return true;
  [[maybe_unused]] const Result<Posted> sent =
      streams_.judge(stream->node(), stream->flush(remote::Stream::Urgency::send));
  return false;
}

Result<Posted> RemoteClient::request(const NewRequest& request) {
  remote::Stream& stream = streams_.to(request.request.target().rank);
  if (const Error* loss = stream.loss()) return *loss;
  if (stream.try_append(request)) [[likely]] {
    if (++gathered_ % requests_between_polls == 0 && poll()) flush_open();
    return Posted::accepted;
  }
  if (Result<Posted> met = streams_.judge(stream.node(), stream.introduce());
      !met || *met == Posted::busy)
    return met;
  Result<Posted> posted = streams_.judge(stream.node(), stream.append(request));
  if (posted && *posted == Posted::busy) messages_.flush_oldest();  // messages may occupy all slots
  return posted;
}

Result<Posted> RemoteClient::put(Remote to, Bytes source, Completion& done) {
  if (is_word(source.size(), to.offset)) {
    Request store{.kind = RequestKind::store,
                  .size = static_cast<std::uint8_t>(source.size()),
                  .to = remote::target_of(to.owner()),
                  .offset = to.offset};
    std::memcpy(&store.operand, source.data(), source.size());
    return request({.request = store, .write_payload = nothing, .done = &done});
  }
  auto* bytes = const_cast<std::byte*>(source.data());
  return put_bytes(to.owner(),
                   {.size = source.size(), .count = 1, .there = to.offset, .here = bytes}, done);
}

Result<Posted> RemoteClient::write(Remote to, Bytes source, Completion& done) {
  if (writes_messages_only() || !to.owner().is_arena()) return put(to, source, done);
  const std::uint32_t node = nodes_.node_of(to.rank);
  if (const Error* loss = streams_.to(node).loss()) return *loss;
  return streams_.judge(node, route_->write(to, source, done));
}

Result<Posted> RemoteClient::put_bytes(Space to, const StridedRun& piece, Completion& done) {
  const Request put{.kind = RequestKind::write,
                    .to = remote::target_of(to),
                    .offset = piece.there,
                    .operand = piece.size};
  return request({.request = put,
                  .payload_size = piece.size,
                  .write_payload = [&](std::byte* at) { std::memcpy(at, piece.here, piece.size); },
                  .done = &done});
}

Result<Posted> RemoteClient::put_packed(Space to, std::span<const StridedRun> pieces,
                                        Completion& done) {
  if (is_whole(pieces)) return put_bytes(to, pieces.front(), done);
  const Request put{.kind = RequestKind::put_packed,
                    .to = remote::target_of(to),
                    .operand = std::uint64_t{pieces.size()}};
  const std::size_t described = pieces.size() * sizeof(PackedRun);
  const auto write_payload = [&](std::byte* payload) {
    write_runs(pieces, payload);
    pack(pieces, payload + described);
  };
  return request({.request = put,
                  .payload_size = described + bytes_of(pieces),
                  .write_payload = write_payload,
                  .done = &done});
}

// Elements are scaled here, so that the agent only adds.
Result<Posted> RemoteClient::accumulate(Space to, const Accumulation& what,
                                        std::span<const StridedRun> pieces, Completion& done) {
  const Request add{.kind = RequestKind::accumulate,
                    .size = static_cast<std::uint8_t>(component(what.type())),
                    .to = remote::target_of(to),
                    .operand = std::uint64_t{pieces.size()}};
  const std::size_t described = pieces.size() * sizeof(PackedRun);
  const std::size_t bytes = bytes_of(pieces);
  const auto write_payload = [&](std::byte* payload) {
    write_runs(pieces, payload);
    pack(pieces, payload + described);
    what.scale(payload + described, payload + described, bytes);
  };
  return request({.request = add,
                  .payload_size = described + bytes,
                  .write_payload = write_payload,
                  .done = &done});
}

Result<Posted> RemoteClient::get_packed(Space from, std::span<const StridedRun> pieces,
                                        Completion& done) {
  if (is_whole(pieces)) return get_bytes(from, pieces.front(), done);
  std::vector<Destination> results;
  for (const StridedRun& each : pieces) results.push_back({.pieces = each});
  const Request get{.kind = RequestKind::get_packed,
                    .to = remote::target_of(from),
                    .operand = std::uint64_t{pieces.size()}};
  return request({.request = get,
                  .payload_size = pieces.size() * sizeof(PackedRun),
                  .write_payload = [&](std::byte* payload) { write_runs(pieces, payload); },
                  .results = results,
                  .done = &done});
}

Result<Posted> RemoteClient::get_bytes(Space from, const StridedRun& piece, Completion& done) {
  const Destination result{.pieces = piece};
  const Request get{.kind = RequestKind::read,
                    .to = remote::target_of(from),
                    .offset = piece.there,
                    .operand = piece.size};
  return request(
      {.request = get, .write_payload = nothing, .results = std::span(&result, 1), .done = &done});
}

Result<Posted> RemoteClient::pass(Space space, std::span<const StridedRun> pieces,
                                  std::uint64_t packed, Pass way, Completion& done) {
  const Request pass{
      .kind = way == Pass::to_device ? RequestKind::pass_to_device : RequestKind::pass_to_arena,
      .to = remote::target_of(space),
      .offset = packed,
      .operand = std::uint64_t{pieces.size()}};
  return request({.request = pass,
                  .payload_size = pieces.size() * sizeof(PackedRun),
                  .write_payload = [&](std::byte* payload) { write_runs(pieces, payload); },
                  .done = &done});
}

Result<Posted> RemoteClient::get(MutableBytes target, Remote from, Completion& done) {
  return get_bytes(from.owner(),
                   {.size = target.size(), .count = 1, .there = from.offset, .here = target.data()},
                   done);
}

Result<Posted> RemoteClient::read(MutableBytes target, Remote from, Completion& done) {
  if (carries_messages_only() || !from.owner().is_arena()) return get(target, from, done);
  const std::uint32_t node = nodes_.node_of(from.rank);
  if (const Error* loss = streams_.to(node).loss()) return *loss;
  return streams_.judge(node, route_->read(target, from, done));
}

Result<Posted> RemoteClient::atomic(Remote at, const AtomicRequest& wanted, std::byte* result,
                                    Completion& done) {
  const std::size_t size = width(wanted.type);
  const Request update{.kind = RequestKind::atomic,
                       .op = wanted.op,
                       .type = wanted.type,
                       .size = static_cast<std::uint8_t>(result == nullptr ? 0 : size),
                       .to = remote::target_of(at.owner()),
                       .offset = at.offset,
                       .operand = wanted.operand};
  const Destination old{.pieces = {.size = size, .count = 1, .here = result}, .is_word = true};
  const bool has_compare = wanted.op == AtomicOp::compare_swap;
  return request({.request = update,
                  .payload_size = has_compare ? sizeof(wanted.compare) : 0,
                  .write_payload =
                      [&](std::byte* payload) {
                        std::memcpy(payload, &wanted.compare, sizeof(wanted.compare));
                      },
                  .results = std::span(&old, result == nullptr ? 0 : 1),
                  .done = &done});
}

Result<Posted> RemoteClient::allocate(Rank at, std::uint64_t size, BlockOwner owner,
                                      std::uint64_t& block, Completion& done) {
  return request_word({.kind = RequestKind::allocate,
                       .to = remote::target_of(at),
                       .offset = static_cast<std::uint64_t>(owner),
                       .operand = size},
                      block, done);
}

Result<Posted> RemoteClient::release(Remote block, std::uint64_t& result, Completion& done) {
  return request_word({.kind = RequestKind::release,
                       .to = remote::target_of(block.owner()),
                       .offset = block.offset},
                      result, done);
}

Result<Posted> RemoteClient::request_word(const Request& wanted, std::uint64_t& result,
                                          Completion& done) {
  const Destination word{
      .pieces = {.size = sizeof(result), .count = 1, .here = reinterpret_cast<std::byte*>(&result)},
      .is_word = true};
  return request(
      {.request = wanted, .write_payload = nothing, .results = std::span(&word, 1), .done = &done});
}

}  // namespace gondwana
