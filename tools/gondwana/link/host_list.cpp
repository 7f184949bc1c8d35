#include "link/host_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bootstrap/protocol.hpp"
#include "core/parse.hpp"
#include "core/read_file.hpp"

namespace gondwana::link {
namespace {

constexpr std::string_view blanks = " \t\r";

Error wrong(std::string text) {
  return {Errc::invalid_argument, std::move(text)};
}

Result<std::uint32_t> parse_slots(std::string_view host, std::string_view text) {
  const Result<std::uint64_t> slots = parse_number(text, 1, protocol::max_ranks);
  if (!slots) return wrong(fmt::format("host {}: {}", host, slots.error().text));
  return static_cast<std::uint32_t>(*slots);
}

// Returns the name of "a:4", "a" or "[fe80::1]:4"; sets `rest` to the text after it: ":4" or
// nothing.
Result<std::string_view> split_name(std::string_view text, std::string_view& rest) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return wrong(fmt::format("host {}: \"]\" is missing", text));
    rest = text.substr(end + 1);
    return text.substr(1, end - 1);
  }
  const std::size_t colon = text.find(':');
  if (colon != text.rfind(':'))
    return wrong(fmt::format("host {}: write an IPv6 address in brackets, [::1]:4", text));
  rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon);
  return text.substr(0, colon);
}

Result<Host> parse_host(std::string_view text) {
  std::string_view rest;
  const Result<std::string_view> name = split_name(text, rest);
  if (!name) return name.error();
  if (const Result<void> checked = check_host_name(*name); !checked) return checked.error();
  Host host{std::string(*name), 1};
  if (rest.empty()) return host;
  if (rest[0] != ':')
    return wrong(fmt::format("host {}: expected \":\" and the number of its ranks", text));
  const Result<std::uint32_t> slots = parse_slots(host.name, rest.substr(1));
  if (!slots) return slots.error();
  host.slots = *slots;
  return host;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t start = line.find_first_not_of(blanks);
    if (start == std::string_view::npos) return words;
    line.remove_prefix(start);
    words.push_back(line.substr(0, line.find_first_of(blanks)));
    line.remove_prefix(words.back().size());
  }
}

// `words` must not be empty.
Result<Host> parse_line(const std::vector<std::string_view>& words) {
  Result<Host> host = parse_host(words[0]);
  if (!host || words.size() == 1) return host;
  constexpr std::string_view key = "slots=";
  if (words.size() > 2 || !words[1].starts_with(key))
    return wrong(fmt::format("{}: expected slots=NUMBER and nothing else", words[1]));
  if (words[0].find(':', words[0].rfind(']') + 1) != std::string_view::npos)
    return wrong(fmt::format("host {}: its ranks are given twice", words[0]));
  const Result<std::uint32_t> slots = parse_slots(host->name, words[1].substr(key.size()));
  if (!slots) return slots.error();
  host->slots = *slots;
  return host;
}

}  // namespace

// ssh would parse a name that begins with '-' as an option.
Result<void> check_host_name(std::string_view name) {
  if (name.empty()) return wrong("a host without a name");
  if (name[0] == '-') return wrong(fmt::format("host {}: a name cannot begin with \"-\"", name));
  const auto odd = [](unsigned char letter) { return letter <= ' ' || letter == 0x7f; };
  if (std::ranges::any_of(name, odd))
    return wrong(
        fmt::format("host \"{}\": a name cannot contain blanks or control characters", name));
  return {};
}

Result<std::vector<Host>> parse_hosts(std::string_view text) {
  std::vector<Host> hosts;
  for (;;) {
    const std::size_t comma = text.find(',');
    Result<Host> host = parse_host(text.substr(0, comma));
    if (!host) return wrong("--hosts: " + host.error().text);
    hosts.push_back(*std::move(host));
    if (comma == std::string_view::npos) return hosts;
    text.remove_prefix(comma + 1);
  }
}

Result<std::vector<Host>> parse_host_file(std::string_view text, const std::string& path) {
  std::vector<Host> hosts;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto words = words_of(line.substr(0, line.find('#')));
    if (words.empty()) continue;
    Result<Host> host = parse_line(words);
    if (!host) return wrong(fmt::format("{}, line {}: {}", path, number, host.error().text));
    hosts.push_back(*std::move(host));
  }
  if (hosts.empty()) return wrong(fmt::format("{}: it names no host", path));
  return hosts;
}

Result<std::vector<Host>> read_host_file(const std::string& path) {
  constexpr std::size_t longest = std::size_t{16} << 20;
  const Result<std::string> text = read_file(path, longest);
  if (text) return parse_host_file(*text, path);
  return wrong(fmt::format("{}: cannot read it: {}", path, text.error().text));
}

}  // namespace gondwana::link
