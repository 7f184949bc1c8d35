// The launcher protocol: any bytes are refused or are a message, and messages survive encoding.
#include <algorithm>
#include <cstring>

#include "bootstrap/protocol.hpp"
#include "fuzz/choices.hpp"
#include "fuzz/target.hpp"

namespace gondwana::protocol {
namespace {

constexpr std::uint64_t job_tag = 0x1122334455667788;

// Payloads have no padding, so equal messages are equal bytes.
bool same(const Message& a, const Message& b) {
  return std::ranges::equal(encode(a, job_tag).bytes, encode(b, job_tag).bytes);
}

void survives(const Message& message) {
  const Packet packet = encode(message, job_tag);
  const Result<Message> back = decode(Bytes(packet.bytes), job_tag);
  GONDWANA_ASSERT(back && same(*back, message), message.index());
  GONDWANA_ASSERT(!decode(Bytes(packet.bytes), job_tag + 1), message.index());
}

// Bytes as an attacker would send them.
void decode_any(Bytes bytes) {
  const Result<Message> message = decode(bytes, 0);
  if (message) survives(*message);
  if (!message) GONDWANA_ASSERT(message.error().code == Errc::malformed, bytes.size());
}

// The same with valid magic and version: payloads are reached, and seeds outlive a version.
void decode_payload(Bytes bytes) {
  if (bytes.size() != Packet::size) return;
  constexpr std::size_t magic_and_version = 6;
  Packet packet = encode(Join{}, job_tag);
  std::memcpy(packet.bytes + magic_and_version, bytes.data() + magic_and_version,
              Packet::size - magic_and_version);
  decode_any(Bytes(packet.bytes));
}

Welcome any_welcome(fuzz::Choices& choices) {
  const std::uint32_t ranks = choices.take<std::uint32_t>() % max_ranks + 1;
  constexpr std::uint64_t least = 32 * huge_page;
  const std::uint64_t most = (std::uint64_t{1} << 47) / ranks;
  std::uint64_t stride = least << choices.take<std::uint8_t>() % 22;
  while (stride > most) stride /= 2;
  const std::uint32_t rank = choices.take<std::uint32_t>() % ranks;
  const auto tag = choices.take<std::uint64_t>();
  const std::uint32_t first = choices.take<std::uint32_t>() % (max_ranks - ranks + 1);
  const std::uint32_t nodes = choices.take<std::uint32_t>() % ranks + 1;
  const std::uint32_t node = choices.take<std::uint32_t>() % nodes;
  const std::uint64_t room = stride > huge_offset ? (stride - huge_offset - 1) / huge_page : 0;
  const std::uint64_t huge = choices.take<std::uint64_t>() % (room + 1) * huge_page;
  const std::uint64_t ring = min_ring_size << choices.take<std::uint8_t>() % 19;
  const std::uint64_t teams =
      (choices.take<std::uint16_t>() % 1024 + 1) * std::uint64_t{NodePlan::min_teams};
  const bool traced = choices.take<std::uint8_t>() % 2 == 1;
  return {.job_tag = tag,
          .rank = rank,
          .ranks = ranks,
          .stride = stride,
          .first = first,
          .node = node,
          .nodes = nodes,
          .job_ranks = first + ranks,
          .huge = huge,
          .ring_size = traced ? ring : 0,
          .teams = teams,
          .layout = choices.take<std::uint64_t>()};
}

Message any_message(fuzz::Choices& choices) {
  switch (choices.take<std::uint8_t>() % std::variant_size_v<Message>) {
    case 0:
      return Join{choices.take<std::uint64_t>()};
    case 1:
      return any_welcome(choices);
    case 2:
      return Arena{choices.take<std::uint32_t>() % max_ranks};
    case 3:
      return Hello{choices.take<std::uint64_t>(), choices.take<std::uint32_t>() % max_ranks};
    case 4:
      return Ready{choices.take<std::uint64_t>()};
    case 5:
      return Image{choices.take<std::uint64_t>()};
    case 6:
      return Lifeline{choices.take<std::uint32_t>() % max_ranks};
    case 7:
      return ShrinkEntry{.team = choices.take<std::uint32_t>(),
                         .turn = choices.take<std::uint64_t>(),
                         .rank = choices.take<std::uint32_t>()};
    case 8:
      return WorldEntry{.rank = choices.take<std::uint32_t>(),
                        .numbers = choices.take<std::uint64_t>()};
    case 9:
      return Arrival{choices.take<std::uint64_t>()};
    default:
      return GlobalExit{choices.take<std::int32_t>()};
  }
}

}  // namespace
}  // namespace gondwana::protocol

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gondwana;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  protocol::decode_any(bytes);
  protocol::decode_payload(bytes);
  fuzz::Choices choices({data, size});
  protocol::survives(protocol::any_message(choices));
  return 0;
}
