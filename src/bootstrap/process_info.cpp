#include "bootstrap/process_info.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <span>
#include <utility>
#include <vector>

#include "bootstrap/key_value_space.hpp"
#include "bootstrap/protocol.hpp"
#include "core/hash.hpp"
#include "core/host_name.hpp"
#include "core/parse.hpp"

namespace gondwana {
namespace {

constexpr std::string_view magic = "gondwana";
constexpr char separator = '/';
constexpr std::string_view nothing = "-";

bool is_harmless(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z') || letter == '-' || letter == '.' || letter == '_';
}

// A word without separators that no launcher interprets.
std::string harmless(std::string text) {
  std::ranges::replace_if(text, [](char letter) { return !is_harmless(letter); }, '_');
  return text.empty() ? std::string(nothing) : text;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t end = text.find(separator);
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint64_t> read_hexadecimal(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string write_invitation(const Invitation& invitation) {
  return fmt::format("/{}/{:x}/{:x}", invitation.address, invitation.tag, invitation.password);
}

// The fields are address, tag and password.
Result<Invitation> read_invitation(std::span<const std::string_view, 3> words, std::uint32_t rank) {
  const auto tag = read_hexadecimal(words[1]);
  const auto password = read_hexadecimal(words[2]);
  if (!tag || *tag == 0 || !password)
    return Error{Errc::malformed, fmt::format("the invitation of rank {} is malformed", rank)};
  return Invitation{std::string(words[0]), *tag, *password};
}

// Nothing if `text` is not bytes in hexadecimal digits.
std::optional<std::vector<std::byte>> read_bytes(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  for (; !text.empty(); text.remove_prefix(2)) {
    const auto byte = read_hexadecimal(text.substr(0, 2));
    if (!byte) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(*byte));
  }
  return bytes;
}

// Detects changes by a launcher.
std::string checksum(std::string_view text) {
  return fmt::format("{:016x}", Hash().add(text).value());
}

bool is_sealed(std::string_view text) {
  const std::size_t last = text.rfind(separator);
  return last != std::string_view::npos && text.substr(last + 1) == checksum(text.substr(0, last));
}

// The words of a rank's text without the checksum. Their number must be one of `counts`.
Result<std::vector<std::string_view>> read_words(std::string_view text, std::uint32_t rank,
                                                 std::array<std::size_t, 2> counts) {
  std::vector<std::string_view> words = split(text);
  if (words.size() < 2 || words[0] != magic) {
    return Error{Errc::malformed,
                 fmt::format("the data that rank {} sent through the launcher is not from "
                             "Gondwana; do all processes run the same program?",
                             rank)};
  }
  if (words[1] != std::to_string(protocol::version) ||
      std::ranges::find(counts, words.size() - 1) == counts.end()) {
    return Error{
        Errc::refused,
        fmt::format(
            "rank {} uses a different build of Gondwana; use one installation for all ranks",
            rank)};
  }
  if (!is_sealed(text)) {
    return Error{Errc::malformed,
                 fmt::format("the data of rank {} was changed on its way through the launcher; "
                             "start the job again, or use another launcher",
                             rank)};
  }
  words.pop_back();
  return words;
}

}  // namespace

NodeIdentity own_node() {
  NodeIdentity node;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> node.boot;
  struct stat network{};
  if (::stat("/proc/self/ns/net", &network) == 0) node.network = std::to_string(network.st_ino);
  node.user = std::to_string(::getuid());
  return {harmless(node.boot), harmless(node.network), node.user};
}

std::string seal(std::string text) {
  text += separator + checksum(text);
  return text;
}

std::string own_host() {
  return harmless(host_name().data());
}

std::string write_info(const ProcessInfo& info) {
  std::string text = fmt::format("{}/{}/{}/{}/{}/{}/{}", magic, protocol::version, info.node.boot,
                                 info.node.network, info.node.user, info.host, info.node_ranks);
  if (info.invitation) text += write_invitation(*info.invitation);
  text = seal(std::move(text));
  GONDWANA_ASSERT(text.size() <= longest_value, text.size());
  return text;
}

Result<ProcessInfo> read_info(std::string_view text, std::uint32_t rank) {
  const Result<std::vector<std::string_view>> words = read_words(text, rank, {7, 10});
  if (!words) return words.error();
  ProcessInfo info;
  info.node = {std::string((*words)[2]), std::string((*words)[3]), std::string((*words)[4])};
  info.host = (*words)[5];
  const Result<std::uint64_t> node_ranks = parse_number((*words)[6], 0, protocol::max_ranks);
  if (!node_ranks)
    return Error{Errc::malformed, fmt::format("the information of rank {} is malformed", rank)};
  info.node_ranks = static_cast<std::uint32_t>(*node_ranks);
  if (words->size() == 10) {
    const Result<Invitation> invitation = read_invitation(std::span(*words).last<3>(), rank);
    if (!invitation) return invitation.error();
    info.invitation = *invitation;
  }
  return info;
}

std::string write_offer(const NodeOffer& offer) {
  std::string text =
      fmt::format("{}/{}{}/", magic, protocol::version, write_invitation(offer.invitation));
  for (const char byte : offer.contact.pack())
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return seal(std::move(text));
}

Result<NodeOffer> read_offer(std::string_view text, std::uint32_t rank) {
  const Result<std::vector<std::string_view>> words = read_words(text, rank, {6, 6});
  if (!words) return words.error();
  const Result<Invitation> invitation = read_invitation(std::span(*words).subspan<2, 3>(), rank);
  if (!invitation) return invitation.error();
  const auto bytes = read_bytes((*words)[5]);
  std::optional<NodeContact> contact = bytes ? NodeContact::unpack(*bytes) : std::nullopt;
  if (!contact) {
    return Error{
        Errc::malformed,
        fmt::format(
            "the node information of rank {} is malformed; use one installation for all ranks",
            rank)};
  }
  return NodeOffer{*invitation, *std::move(contact)};
}

}  // namespace gondwana
