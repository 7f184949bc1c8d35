// The ranks of one start, as the process that made the unique id sees them. Connections, lines and
// their ends come in, lines go out. It makes no system call; UniqueIdServer does.
//
// A connection says which build it is, proves that it has the id, and checks in with a rank and the
// number of ranks. Then it uses the key-value space. All lines are words that blanks separate. One
// id, one start: a rank checks in once, and nobody does after all have come.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/unique_id/keyed_hash.hpp"

namespace gondwana {

using Guest = std::uint64_t;

struct StartReply {
  Guest to;
  std::string line;
  bool closes = false;  // close the connection afterwards
};
using StartReplies = std::vector<StartReply>;

// Why a connection was refused.
enum class Refusal : std::uint8_t { stranger, other_build, wrong_id, wrong_rank, late };
inline constexpr std::size_t refusals = 5;

// What a process proves that it has the id with: the numbers that both sides chose, and what it
// says.
std::uint64_t proof_of_root(const HashKey& key, std::uint64_t guest_number);
std::uint64_t proof_of_rank(const HashKey& key, std::uint64_t root_number, std::uint32_t rank,
                            std::uint32_t size);

class StartTable {
 public:
  StartTable(const HashKey& key, std::uint64_t build) : key_(key), build_(build) {}

  // `number`: random, for the proof of this connection.
  void on_come(Guest guest, std::uint64_t number) { guests_[guest].number = number; }
  StartReplies on_line(Guest guest, std::string_view line);
  StartReplies on_gone(Guest guest);

  // Whether the start is over and its ranks have ended.
  bool is_over() const;
  // How often a connection was refused for this reason.
  std::uint64_t refused(Refusal why) const { return refused_[static_cast<std::size_t>(why)]; }
  std::uint64_t refused() const;

 private:
  struct Connection {
    std::uint64_t number = 0;
    bool is_greeted = false;
    std::optional<std::uint32_t> rank;
    bool waits = false;
    bool is_done = false;  // it has joined the job
    bool is_refused = false;
  };
  using Words = std::span<const std::string_view>;

  StartReplies greet(Guest guest, Words words);
  StartReplies check_in(Guest guest, Words words);
  StartReplies serve(Guest guest, Words words);
  StartReplies fence(Guest guest);
  StartReplies get(Guest guest, Words words) const;
  StartReplies tell_others(Guest guest, const std::string& line) const;
  StartReplies refuse(Guest guest, Refusal why, std::string_view sentence);
  std::optional<std::string> reason_against(std::uint32_t rank, std::uint32_t size) const;
  std::string missing() const;

  HashKey key_;
  std::uint64_t build_;
  std::map<Guest, Connection> guests_;
  std::uint32_t size_ = 0;  // 0: nobody has come
  std::uint32_t came_count_ = 0;
  std::vector<bool> came_;
  std::map<std::string, std::string, std::less<>> values_;
  std::string failure_;  // why the start failed
  std::array<std::uint64_t, refusals> refused_{};
};

}  // namespace gondwana
