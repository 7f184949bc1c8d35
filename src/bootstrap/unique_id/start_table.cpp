#include "bootstrap/unique_id/start_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "bootstrap/protocol.hpp"
#include "core/parse.hpp"

namespace gondwana {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::uint64_t proof_of_root(const HashKey& key, std::uint64_t guest_number) {
  return keyed_hash(key, std::array<std::uint64_t, 2>{1, guest_number});
}

std::uint64_t proof_of_rank(const HashKey& key, std::uint64_t root_number, std::uint32_t rank,
                            std::uint32_t size) {
  return keyed_hash(key, std::array<std::uint64_t, 4>{2, root_number, rank, size});
}

StartReplies StartTable::on_line(Guest guest, std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  const Connection& connection = guests_[guest];
  if (!connection.is_greeted) return greet(guest, words);
  if (!connection.rank) return check_in(guest, words);
  return serve(guest, words);
}

// The answer proves that this process has the id, too: its port may belong to another one later.
StartReplies StartTable::greet(Guest guest, Words words) {
  const auto number = words.size() == 3 ? hexadecimal(words[2]) : std::nullopt;
  if (!number || words[0] != "gondwana-unique-id")
    return refuse(guest, Refusal::stranger, "this is where the ranks of a Gondwana job meet");
  if (hexadecimal(words[1]) != build_)
    return refuse(guest, Refusal::other_build,
                  "the process that made the unique id has a different build of Gondwana; use one "
                  "installation for all ranks");
  Connection& connection = guests_[guest];
  connection.is_greeted = true;
  return {{guest, fmt::format("root {:x} {:x}", connection.number, proof_of_root(key_, *number))}};
}

StartReplies StartTable::check_in(Guest guest, Words words) {
  Connection& connection = guests_[guest];
  const bool is_said = words.size() == 4 && words[0] == "join";
  const auto proof = is_said ? hexadecimal(words[3]) : std::nullopt;
  const auto rank = is_said ? parse_number(words[1], 0, protocol::max_ranks) : Error{};
  const auto size = is_said ? parse_number(words[2], 1, protocol::max_ranks) : Error{};
  if (!proof || !rank || !size)
    return refuse(guest, Refusal::stranger, "this is not how a rank checks in");
  const auto number = static_cast<std::uint32_t>(*rank);
  const auto ranks = static_cast<std::uint32_t>(*size);
  if (*proof != proof_of_rank(key_, connection.number, number, ranks))
    return refuse(
        guest, Refusal::wrong_id,
        "this is not the unique id, or the secret, of the job that meets here; pass on all "
        "its bytes");
  if (size_ > 0 && came_count_ == size_)
    return refuse(
        guest, Refusal::late,
        fmt::format("this unique id has already started a job of {} rank{}; make a new one "
                    "for each start",
                    size_, size_ == 1 ? "" : "s"));
  if (const auto reason = reason_against(number, ranks))
    return refuse(guest, Refusal::wrong_rank, *reason);
  if (size_ == 0) came_.resize(size_ = ranks);
  came_[number] = true;
  ++came_count_;
  connection.rank = number;
  return {{guest, "admitted"}};
}

std::optional<std::string> StartTable::reason_against(std::uint32_t rank,
                                                      std::uint32_t size) const {
  if (!failure_.empty()) return fmt::format("this start has failed: {}", failure_);
  if (rank >= size) return fmt::format("{} ranks have the numbers 0 to {}", size, size - 1);
  if (size_ > 0 && size != size_)
    return fmt::format("this process says that the job has {} ranks, the first that came said {}",
                       size, size_);
  if (size_ > 0 && came_[rank])
    return fmt::format(
        "another process has already come as rank {}; pass a different rank in each "
        "process",
        rank);
  return std::nullopt;
}

StartReplies StartTable::serve(Guest guest, Words words) {
  Connection& connection = guests_[guest];
  const std::string_view verb = words.empty() ? std::string_view() : words[0];
  if (verb == "fence") return fence(guest);
  if (verb == "missing") return {{guest, fmt::format("missing {}", missing())}};
  if (verb == "get" && words.size() == 3) return get(guest, words);
  if (verb == "put" && words.size() == 3)
    values_[fmt::format("{} {}", words[1], *connection.rank)] = words[2];
  if (verb == "done") connection.is_done = true;
  return {};
}

StartReplies StartTable::fence(Guest guest) {
  guests_[guest].waits = true;
  std::uint32_t waiting = 0;
  for (const auto& [number, connection] : guests_) waiting += connection.waits ? 1 : 0;
  if (waiting < size_) return {};
  StartReplies replies;
  for (auto& [number, connection] : guests_)
    if (std::exchange(connection.waits, false)) replies.push_back({number, "fenced"});
  return replies;
}

StartReplies StartTable::get(Guest guest, Words words) const {
  const auto value = values_.find(fmt::format("{} {}", words[1], words[2]));
  return {{guest, value == values_.end() ? "none" : fmt::format("value {}", value->second)}};
}

// A rank that ends before it has joined would let the others wait forever.
StartReplies StartTable::on_gone(Guest guest) {
  const auto found = guests_.find(guest);
  if (found == guests_.end()) return {};
  const Connection gone = found->second;
  guests_.erase(found);
  // A process of this project that has another id or secret leaves when it sees our proof.
  if (gone.is_greeted && !gone.rank && !gone.is_refused)
    ++refused_[static_cast<std::size_t>(Refusal::wrong_id)];
  if (!gone.rank || gone.is_done || !failure_.empty()) return {};
  failure_ = fmt::format("rank {} ended before all ranks had joined{}", *gone.rank,
                         came_count_ < size_ ? "; these had not come: " + missing() : "");
  return tell_others(guest, "ended " + failure_);
}

StartReplies StartTable::tell_others(Guest guest, const std::string& line) const {
  StartReplies replies;
  for (const auto& [number, connection] : guests_)
    if (number != guest && connection.rank && !connection.is_done)
      replies.push_back({number, line});
  return replies;
}

StartReplies StartTable::refuse(Guest guest, Refusal why, std::string_view sentence) {
  ++refused_[static_cast<std::size_t>(why)];
  guests_[guest].is_refused = true;
  return {{guest, fmt::format("refused {}", sentence), true}};
}

std::uint64_t StartTable::refused() const {
  return std::accumulate(refused_.begin(), refused_.end(), std::uint64_t{0});
}

bool StartTable::is_over() const {
  const bool has_begun = !failure_.empty() || (size_ > 0 && came_count_ == size_);
  return has_begun && std::ranges::none_of(
                          guests_, [](const auto& guest) { return guest.second.rank.has_value(); });
}

std::string StartTable::missing() const {
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < size_; ++rank)
    if (!came_[rank]) ranks.push_back(rank);
  return fmt::format("{}", fmt::join(ranks, ", "));
}

}  // namespace gondwana
