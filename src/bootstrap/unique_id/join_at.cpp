#include "bootstrap/unique_id/join_at.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "bootstrap/unique_id/internet.hpp"
#include "bootstrap/unique_id/join.hpp"
#include "bootstrap/unique_id/unique_id_server.hpp"
#include "core/read_file.hpp"

namespace gondwana {
namespace {

constexpr std::size_t longest_secret = 4096;
constexpr std::size_t shortest_secret = 8;
constexpr int pause_between_tries_ms = 50;

// Empty while the name is unknown: a pod's name appears when the pod starts.
std::vector<InternetAddress> resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* all = nullptr;
  std::vector<InternetAddress> result;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &all) != 0) return result;
  for (const addrinfo* entry = all; entry != nullptr; entry = entry->ai_next) {
    const auto address = address_in(*entry->ai_addr);
    if (address && result.size() < UniqueId::most_addresses) result.push_back(*address);
  }
  ::freeaddrinfo(all);
  return result;
}

// 127.0.1.1, which many systems have for their own name, is not: other hosts know another address.
bool is_local(const std::vector<InternetAddress>& addresses) {
  return std::ranges::find(addresses, loopback_address()) != addresses.end() &&
         std::ranges::all_of(addresses, [](const InternetAddress& address) {
           return address == loopback_address() || text_of(address) == "::1";
         });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

Result<HashKey> read_key(const StartPlace& place) {
  if (place.secret_file.empty()) {
    if (!place.secret.empty()) return key_of(place.secret);
    return Error{Errc::missing,
                 "GONDWANA_MEET: any process that reaches the port could join; write a secret to a "
                 "file that only the processes of this job can read, and set GONDWANA_MEET_SECRET "
                 "to its path"};
  }
  const Result<std::string> text = read_file(place.secret_file, longest_secret);
  if (!text)
    return Error{text.error().code,
                 fmt::format("GONDWANA_MEET_SECRET={}: {}", place.secret_file, text.error().text)};
  if (trimmed(*text).size() < shortest_secret)
    return Error{Errc::invalid_argument,
                 fmt::format("GONDWANA_MEET_SECRET={}: the secret has fewer than {} characters",
                             place.secret_file, shortest_secret)};
  return key_of(*text);
}

Result<Membership> join_as_first(const StartPlace& place, const HashKey& key,
                                 const Options& options) {
  Result<std::unique_ptr<UniqueIdServer>> server =
      UniqueIdServer::open({is_local(resolve(place.host)), place.port, key});
  if (!server) return server.error();
  Result<Membership> self = join_by_unique_id({(*server)->id(), place.rank, place.size}, options);
  if (self) self->server = *std::move(server);
  return self;
}

Error nobody_there(const StartPlace& place, bool is_known, const Deadline& waited) {
  const std::string reason =
      is_known ? fmt::format("no process listens at port {} of {}", place.port, place.host)
               : fmt::format("the host name {} is unknown", place.host);
  return {Errc::peer_lost,
          fmt::format("rank {} of {}: {}, after {} s (GONDWANA_JOIN_TIMEOUT); rank 0 must run on "
                      "that host, which GONDWANA_MEET or the launcher names",
                      place.rank, place.size, reason, waited.seconds())};
}

}  // namespace

HashKey key_of(std::string_view secret) {
  secret = trimmed(secret);
  std::vector<std::uint64_t> words((secret.size() + 7) / 8 + 1);
  words.back() = secret.size();
  if (!secret.empty()) std::memcpy(words.data(), secret.data(), secret.size());
  return {keyed_hash({1, 0}, words), keyed_hash({2, 0}, words)};
}

Result<Membership> join_at(const StartPlace& place, const Options& options) {
  const Result<HashKey> key = read_key(place);
  if (!key) return key.error();
  if (place.rank == 0) return join_as_first(place, *key, options);
  for (const Deadline deadline(options.join_timeout);;) {
    const UniqueId id{build_number(), 0, *key, place.port, resolve(place.host)};
    if (is_reachable(id, deadline)) return join_by_unique_id({id, place.rank, place.size}, options);
    if (deadline.left_ms() == 0) return nobody_there(place, !id.addresses.empty(), deadline);
    ::poll(nullptr, 0, pause_between_tries_ms);
  }
}

}  // namespace gondwana
