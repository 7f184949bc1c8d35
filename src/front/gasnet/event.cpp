// Test and wait. GASNet-EX 0.19, Event test/wait.
#include "front/gasnet/event.hpp"

#include <concepts>

#include "front/gasnet/door.hpp"
#include "gasnet/events.h"
#include "gasnet/system.h"

bool gondwana_gex_event::is_complete() {
  if (auto* barrier = std::get_if<gondwana::gasnet::BarrierEvent>(&what))
    return barrier->is_complete();
  if (const auto* batch = std::get_if<std::shared_ptr<gondwana::gasnet::Batch>>(&what))
    return (*batch)->is_done();
  if (const auto* leaf = std::get_if<gondwana::gasnet::Leaf>(&what)) return leaf->is_complete();
  return std::get<std::shared_ptr<gondwana::gasnet::Operation>>(what)->is_complete();
}

namespace gondwana::gasnet {

gex_Event_t start(Door& door, std::shared_ptr<Operation> operation) {
  if (operation->advance()) return GEX_EVENT_INVALID;
  door.progress().start(operation);
  return new gondwana_gex_event{std::move(operation)};
}

gex_Event_t event_of(std::shared_ptr<Batch> batch) {
  return batch->is_done() ? GEX_EVENT_INVALID : new gondwana_gex_event{std::move(batch)};
}

namespace {

// The root must be a batch. It owns the leaf, so repeated calls return the same one.
gex_Event_t leaf_of(gex_Event_t root, bool is_local) {
  const Leaf leaf{std::get<std::shared_ptr<Batch>>(root->what).get(), is_local};
  if (leaf.is_complete()) return GEX_EVENT_INVALID;
  std::unique_ptr<gondwana_gex_event>& held = root->leaves[is_local ? 1 : 0];
  if (held == nullptr) held.reset(new gondwana_gex_event{leaf});
  return held.get();
}

// Frees an event that the client has seen complete. A leaf belongs to its root.
void use_up(gex_Event_t event) {
  if (!event->is_leaf()) delete event;
}

// Returns whether the event is complete, and frees it if so.
bool take(gex_Event_t& event) {
  if (event == GEX_EVENT_INVALID) return true;
  if (!event->is_complete()) return false;
  use_up(event);
  event = GEX_EVENT_INVALID;
  return true;
}

struct TestResult {
  bool all = true;
  bool any = false;  // this call found a completion
  bool empty = true;

  bool any_ended() const { return any || empty; }
};

// Clears the leaves of a complete root, which may be in the same list.
void take_leaves(gex_Event_t root, gex_Event_t* events, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (events[i] != GEX_EVENT_INVALID && root->has_leaf(events[i])) events[i] = GEX_EVENT_INVALID;
}

bool has_leaves(gex_Event_t event) {
  return event->leaves[0] != nullptr || event->leaves[1] != nullptr;
}

TestResult test_events(gex_Event_t* events, std::size_t count) {
  TestResult seen;
  for (std::size_t i = 0; i < count; ++i) {
    if (events[i] == GEX_EVENT_INVALID) continue;
    seen.empty = false;
    if (has_leaves(events[i]) && events[i]->is_complete()) take_leaves(events[i], events, count);
    if (take(events[i]))
      seen.any = true;
    else
      seen.all = false;
  }
  return seen;
}

// The result of a test. The client may repeat it until it succeeds, without a poll.
template <std::predicate Test>
int tested(const Test& test) {
  Progress& progress = door().progress();
  bool complete = test();
  if (!complete && progress.has_operations()) {
    progress.move_operations();
    complete = test();
  }
  progress.note_poll(complete);
  return complete ? GASNET_OK : GASNET_ERR_NOT_READY;
}

}  // namespace

gex_Event_t local_completion_of(gex_Event_t root) {
  return root == GEX_EVENT_INVALID ? root : leaf_of(root, true);
}

}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

int gondwana_gex_event_test(gex_Event_t event) {
  return tested([&] { return take(event); });
}

void gondwana_gex_event_wait(gex_Event_t event) {
  constexpr auto call = "gex_Event_Wait";
  if (auto* barrier = std::get_if<BarrierEvent>(&event->what)) {
    barrier->wait(call);
    delete event;
  } else if (const auto* batch = std::get_if<std::shared_ptr<Batch>>(&event->what)) {
    door().remote().wait(**batch, call);
    delete event;
  } else if (const auto* leaf = std::get_if<Leaf>(&event->what)) {
    if (leaf->is_local)
      door().remote().wait_for_sources(*leaf->batch, call);
    else
      door().remote().wait(*leaf->batch, call);
  } else if (!take(event)) {
    door().progress().wait(call, [&] { return take(event); });
  }
}

int gex_Event_TestSome(gex_Event_t* pevent, size_t numevents, gex_Flags_t /*flags*/) {
  return tested([&] { return test_events(pevent, numevents).any_ended(); });
}

void gex_Event_WaitSome(gex_Event_t* pevent, size_t numevents, gex_Flags_t /*flags*/) {
  door().progress().wait("gex_Event_WaitSome",
                         [&] { return test_events(pevent, numevents).any_ended(); });
}

int gex_Event_TestAll(gex_Event_t* pevent, size_t numevents, gex_Flags_t /*flags*/) {
  return tested([&] { return test_events(pevent, numevents).all; });
}

void gex_Event_WaitAll(gex_Event_t* pevent, size_t numevents, gex_Flags_t /*flags*/) {
  door().progress().wait("gex_Event_WaitAll", [&] { return test_events(pevent, numevents).all; });
}

// The library owns the source of a collective until the collective is complete. The leaf of an
// access region is its local completion or the whole region.
gex_Event_t gex_Event_QueryLeaf(gex_Event_t root, gex_EC_t event_category) {
  if (root == GEX_EVENT_INVALID || !std::holds_alternative<std::shared_ptr<Batch>>(root->what))
    return GEX_EVENT_INVALID;
  return leaf_of(root, event_category == GEX_EC_LC);
}
