#include "front/gasnet/door.hpp"

#include "front/gasnet/messages.hpp"

namespace gondwana::gasnet {

Door::Door(const Setup& setup)
    : setup_(setup),
      devices_(*setup.engine, max_medium, longest_long(*this)),
      remote_(*this, *setup.engine),
      directories_(*this),
      teams_(*this, setup.inline_path && !setup.everything),
      progress_({.waiter = setup.engine->waiter(),
                 .rank = setup.engine->rank(),
                 .neighbors = setup.engine->memory().roster().here().size(),
                 .messages = setup.engine->messages(),
                 .bell = setup.engine->memory().page(setup.engine->rank()).sync_bell,
                 .network = setup.engine->rma().reaches_all() ? nullptr : &setup.engine->remote(),
                 .has_threads = setup.threads != ThreadMode::seq,
                 .has_quiet_polls = !setup.checks}),
      segments_({.engine = *setup.engine,
                 .progress = progress_,
                 .most = setup.settings.largest_segment,
                 .team_place = teams_.size_of_place()}) {
  for (const Rank neighbor : engine().memory().roster().here())
    neighbors_.push_back({index(neighbor)});
  directories_.near(rank()).room.store(segments_.largest(), std::memory_order_relaxed);
}

Door::~Door() {
  if (client_ != nullptr) engine().messages().stop();
}

void Door::join(const std::string& client_name, gex_Flags_t flags) {
  constexpr auto call = "gex_Client_Init";
  client_ = std::make_unique<gondwana_gex_client>(
      gondwana_gex_client{.door = this, .name = client_name, .flags = flags, .data = {}});
  gondwana_gex_endpoint& first = *endpoints_.make(client(), GEX_EP_CAPABILITY_ALL, 0);
  directories_.show_blocks();
  if (has_everything()) MessageMemory::listen(first);
  engine().messages().listen(
      &receive, this,
      threads() == ThreadMode::seq ? Handlers::on_one_thread : Handlers::on_any_thread);
  teams_.make_world(call);
  const std::vector<std::uint64_t> machines =
      Team::of(teams_.world()).exchange(call, setup_.machine);
  hosts_ = Hosts::of(machines, rank());
  engine().collectives().sync(engine().teams().world(), call);
}

}  // namespace gondwana::gasnet
