#include "bootstrap/apinfo.hpp"

#include <array>
#include <cstring>
#include <optional>

#include "bootstrap/protocol.hpp"

namespace gondwana {
namespace {

// In the layout of the C compiler, as PALS writes it. Elements grow in later versions, so their
// sizes come from the header.
struct Group {
  std::uint64_t element_size;
  std::uint64_t offset;
  std::int32_t count;
};
struct Header {
  std::int32_t version;
  std::uint64_t total_size;
  Group profiles;
  Group commands;
  Group ranks;
  Group nodes;
};
struct PalsRank {
  std::int32_t local_index;
  std::int32_t command;
  std::int32_t node;
};
constexpr std::size_t name_size = 64;
struct PalsNode {
  std::int32_t number;
  std::array<char, name_size> name;
};
static_assert(sizeof(Group) == 24 && sizeof(Header) == 16 + 4 * sizeof(Group));

// The beginning of an element; nothing if it is not in the file.
template <typename T>
std::optional<T> element(Bytes file, const Group& group, std::uint64_t number) {
  const std::uint64_t size = file.size();
  if (group.count < 0 || number >= static_cast<std::uint64_t>(group.count)) return std::nullopt;
  if (group.element_size < sizeof(T) || group.element_size > size || group.offset > size)
    return std::nullopt;
  const std::uint64_t end = (number + 1) * group.element_size;  // both are below 2^32
  if (end > size - group.offset) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + group.offset + end - group.element_size, sizeof value);
  return value;
}

}  // namespace

Result<Apinfo> read_apinfo(Bytes bytes) {
  const Error malformed{Errc::malformed, "not a description of an application by PALS"};
  Header header{};
  if (bytes.size() < sizeof header) return malformed;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version < 1 || header.ranks.count < 1 || header.nodes.count < 1) return malformed;
  if (static_cast<std::uint32_t>(header.ranks.count) > protocol::max_ranks) return malformed;
  const auto rank = element<PalsRank>(bytes, header.ranks, 0);
  if (!rank || rank->node < 0) return malformed;
  const auto node = element<PalsNode>(bytes, header.nodes, static_cast<std::uint64_t>(rank->node));
  if (!node) return malformed;
  return Apinfo{static_cast<std::uint32_t>(header.ranks.count),
                static_cast<std::uint32_t>(header.nodes.count),
                std::string(node->name.data(), ::strnlen(node->name.data(), name_size))};
}

}  // namespace gondwana
