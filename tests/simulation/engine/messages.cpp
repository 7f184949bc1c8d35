#include "simulation/engine/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "front/gasnet/door.hpp"
#include "gasnetex.h"

namespace gondwana::simulation {
namespace {

constexpr gex_AM_Index_t short_request = 200;
constexpr gex_AM_Index_t medium_request = 201;
constexpr gex_AM_Index_t long_request = 202;
constexpr gex_AM_Index_t short_reply = 203;
constexpr gex_AM_Index_t medium_reply = 204;

// A segment consists of whole pages.
constexpr std::size_t long_place = 4096;
static_assert(Program::long_size <= long_place);

// Of the fiber that runs.
thread_local gasnet::Door* door_here = nullptr;
thread_local RankMessages* messages_here = nullptr;

gex_AM_Arg_t argument(std::uint64_t value) {
  return static_cast<gex_AM_Arg_t>(value);
}

void take_short(gex_Token_t token, gex_AM_Arg_t from, gex_AM_Arg_t value) {
  messages_here->take_request(static_cast<std::uint32_t>(from), nullptr, 0,
                              static_cast<std::uint64_t>(value));
  gex_AM_ReplyShort1(token, short_reply, 0, value);
}

void take_medium(gex_Token_t token, void* payload, std::size_t size, gex_AM_Arg_t from,
                 gex_AM_Arg_t value) {
  messages_here->take_request(static_cast<std::uint32_t>(from),
                              static_cast<const std::byte*>(payload), size,
                              static_cast<std::uint64_t>(value));
  gex_AM_ReplyMedium1(token, medium_reply, payload, size, GEX_EVENT_NOW, 0, value);
}

void take_long(gex_Token_t token, void* payload, std::size_t size, gex_AM_Arg_t from,
               gex_AM_Arg_t value) {
  messages_here->take_request(static_cast<std::uint32_t>(from),
                              static_cast<const std::byte*>(payload), size,
                              static_cast<std::uint64_t>(value));
  gex_AM_ReplyShort1(token, short_reply, 0, value);
}

void take_short_reply(gex_Token_t /*token*/, gex_AM_Arg_t value) {
  messages_here->take_reply(nullptr, 0, static_cast<std::uint64_t>(value));
}

void take_medium_reply(gex_Token_t /*token*/, void* payload, std::size_t size, gex_AM_Arg_t value) {
  messages_here->take_reply(static_cast<const std::byte*>(payload), size,
                            static_cast<std::uint64_t>(value));
}

template <typename Function>
gex_AM_Entry_t entry(gex_AM_Index_t index, Function* function, gex_Flags_t flags, unsigned count) {
  return {index, reinterpret_cast<gex_AM_Fn_t>(function), flags, count, nullptr, "simulation"};
}

}  // namespace

struct RankMessages::Door {
  explicit Door(Engine& engine) : door({.engine = &engine}) {
    door_here = &door;
    door.join("SIMULATION", 0);
    std::array entries{
        entry(short_request, take_short, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 2),
        entry(medium_request, take_medium, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_MEDIUM, 2),
        entry(long_request, take_long, GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_LONG, 2),
        entry(short_reply, take_short_reply, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_SHORT, 1),
        entry(medium_reply, take_medium_reply, GEX_FLAG_AM_REPLY | GEX_FLAG_AM_MEDIUM, 1)};
    gex_EP_RegisterHandlers(door.endpoints().first(), entries.data(), entries.size());
  }

  gasnet::Door door;
  std::vector<std::byte*> segments;  // of each rank
};

// A long payload of each rank has a place in the segment of each.
RankMessages::RankMessages(RankContext& rank, Engine& engine)
    : rank_(rank), door_(std::make_unique<Door>(engine)), requests_(rank.ranks) {
  messages_here = this;
  gex_TM_t team = door_->door.teams().world();
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  const std::size_t size = rank.ranks * Program::longs * long_place;
  rank.expect(gex_Segment_Attach(&segment, team, size) == GASNET_OK, "no segment");
  for (std::uint32_t i = 0; i < rank.ranks; ++i) {
    void* address = nullptr;
    gex_Segment_QueryBound(team, i, &address, nullptr, nullptr);
    door_->segments.push_back(static_cast<std::byte*>(address));
  }
  gasnet::Team::of(team).meet("barrier");
}

RankMessages::~RankMessages() {
  messages_here = nullptr;
  door_here = nullptr;
}

void RankMessages::send(const Action& action) {
  rank_.machine.step();
  ++sent_;
  gex_TM_t team = door_->door.teams().world();
  const gex_AM_Arg_t me = argument(rank_.me());
  const gex_AM_Arg_t value = argument(action.value);
  const std::byte* const source = rank_.keep(action.bytes).data();
  if (action.act == Act::request_short) {
    gex_AM_RequestShort2(team, action.pe, short_request, 0, me, value);
  } else if (action.act == Act::request_medium) {
    gex_AM_RequestMedium2(team, action.pe, medium_request, source, action.size, GEX_EVENT_NOW, 0,
                          me, value);
  } else {
    const std::size_t place = (rank_.me() * Program::longs + action.offset) * long_place;
    gex_AM_RequestLong2(team, action.pe, long_request, source, action.size,
                        door_->segments[action.pe] + place, GEX_EVENT_NOW, 0, me, value);
  }
  rank_.overwrite_last();
}

void RankMessages::take_request(std::uint32_t from, const std::byte* payload, std::size_t size,
                                std::uint64_t value) {
  rank_.expect(from < rank_.ranks, fmt::format("a request from rank {}", from));
  rank_.expect_bytes(payload, bytes_of(value, size), fmt::format("a request from rank {}", from));
  ++requests_[from];
}

void RankMessages::take_reply(const std::byte* payload, std::size_t size, std::uint64_t value) {
  rank_.expect_bytes(payload, bytes_of(value, size), "a reply");
  ++replies_;
  rank_.expect(replies_ <= sent_, "a reply has come twice");
}

bool RankMessages::has_all(const Phase& phase) const {
  const auto& expected = phase.requests[rank_.me()];
  for (std::uint32_t from = 0; from < rank_.ranks; ++from)
    rank_.expect(requests_[from] <= expected[from],
                 fmt::format("{} requests from rank {}, which has sent {}", requests_[from], from,
                             expected[from]));
  return replies_ == sent_ && requests_ == expected;
}

void RankMessages::finish(const Phase& phase) {
  door_->door.progress().wait("messages", [&] { return has_all(phase); });
  std::ranges::fill(requests_, 0);
}

}  // namespace gondwana::simulation

namespace gondwana::gasnet {

Door& door() {
  return *simulation::door_here;
}

Door* find_door() {
  return simulation::door_here;
}

void give_up(CallName call, const std::string& sentence) {
  simulation::Machine::present()->give_up(fmt::format("{}: {}", call, sentence));
}

}  // namespace gondwana::gasnet
