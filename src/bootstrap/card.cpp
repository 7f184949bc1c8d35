#include "bootstrap/card.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <vector>

#include "bootstrap/key_value_space.hpp"
#include "bootstrap/protocol.hpp"

namespace gondwana {
namespace {

constexpr std::string_view magic = "gondwana";
constexpr char separator = '/';
constexpr std::string_view nothing = "-";

bool is_harmless(char letter) {
  return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z') || letter == '-' || letter == '.' || letter == '_';
}

// A word that separates nothing and that no launcher reads as something else.
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

// Of a card that has one: address, tag, password.
std::optional<Invitation> read_invitation(std::string_view address, std::string_view tag,
                                          std::string_view password) {
  const auto tag_number = read_hexadecimal(tag);
  const auto password_number = read_hexadecimal(password);
  if (!tag_number || *tag_number == 0 || !password_number) return std::nullopt;
  return Invitation{std::string(address), *tag_number, *password_number};
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

std::string own_host() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return harmless(name.data());
}

std::string write_card(const Card& card) {
  std::string text = fmt::format("{}/{}/{}/{}/{}/{}", magic, protocol::version, card.node.boot,
                                 card.node.network, card.node.user, card.host);
  if (card.invitation) {
    text += fmt::format("/{}/{:x}/{:x}", card.invitation->address, card.invitation->tag,
                        card.invitation->password);
  }
  GONDWANA_ASSERT(text.size() <= longest_value, text.size());
  return text;
}

Result<Card> read_card(std::string_view text, std::uint32_t whose) {
  const std::vector<std::string_view> words = split(text);
  if (words.size() < 2 || words[0] != magic) {
    return Error{Errc::malformed,
                 fmt::format("what rank {} said through the launcher is not of Gondwana; do all "
                             "processes run the same program?",
                             whose)};
  }
  if (words[1] != std::to_string(protocol::version) || (words.size() != 6 && words.size() != 9)) {
    return Error{Errc::refused, fmt::format("rank {} uses another build of Gondwana; use one "
                                            "installation for all ranks",
                                            whose)};
  }
  Card card;
  card.node = {std::string(words[2]), std::string(words[3]), std::string(words[4])};
  card.host = words[5];
  if (words.size() == 9) {
    card.invitation = read_invitation(words[6], words[7], words[8]);
    if (!card.invitation)
      return Error{Errc::malformed, fmt::format("the invitation of rank {} is garbled", whose)};
  }
  return card;
}

Result<void> check_same_node(const Card& self, std::uint32_t self_rank, const Card& other,
                             std::uint32_t other_rank) {
  if (self.node == other.node) return {};
  const auto where = [&]() -> std::string {
    if (self.node.boot != other.node.boot) return "on other machines: this version runs on one";
    if (self.node.network != other.node.network)
      return "in containers with networks of their own: this version needs one network namespace";
    return "of other users, who may not share memory: start all ranks as one user";
  };
  return Error{Errc::missing, fmt::format("rank {} on host {} and rank {} on host {} are {}",
                                          self_rank, self.host, other_rank, other.host, where())};
}

}  // namespace gondwana
