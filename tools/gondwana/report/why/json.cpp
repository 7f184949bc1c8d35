#include "base/json.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "observe/stacks/words.hpp"
#include "report/why/rank_text.hpp"
#include "report/why/report.hpp"
#include "report/why/wait_graph.hpp"

namespace gondwana::why {
namespace {

template <typename Items, typename Write>
Json list_of(const Items& items, const Write& write) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(write(item));
  return list;
}

Json object_of(const stacks::Frame& frame) {
  return {{"function", frame.function},
          {"file", frame.file},
          {"line", frame.line},
          {"module", frame.module}};
}

Json frames_of(const stacks::ThreadStack& thread) {
  return list_of(thread.frames, [](const stacks::Frame& frame) { return object_of(frame); });
}

// `stack` is the main thread's.
Json object_of(const stacks::Place& place) {
  Json object{{"rank", place.rank}, {"process", place.pid}, {"host", place.host}};
  if (place.threads.empty()) {
    object["error"] = place.problem;
    return object;
  }
  object["stack"] = frames_of(place.threads.front());
  object["threads"] = list_of(place.threads, [](const stacks::ThreadStack& thread) {
    return Json{{"thread", thread.thread}, {"name", thread.name}, {"stack", frames_of(thread)}};
  });
  return object;
}

Json object_of(const jobs::NodeSeen& node) {
  return {{"node", node.node}, {"host", node.host}, {"first", node.first}, {"ranks", node.ranks}};
}

// The words that are waited for: a number, or a list.
Json value_of(const jobs::WaitSeen& wait) {
  constexpr bool throws = false;
  if (wait.value.empty()) return nullptr;
  const Json words = Json::parse("[" + wait.value + "]", nullptr, throws);
  if (words.is_discarded() || words.empty()) return nullptr;
  return wait.awaited.words == 1 ? words.front() : words;
}

Json object_of(const jobs::WaitSeen& wait) {
  const auto number = [](std::uint32_t value) {
    return value == ~std::uint32_t{0} ? Json() : Json(value);
  };
  const std::string awaited = stacks::format_awaited(wait);
  return {{"call", wait.call},
          {"peer", number(wait.peer)},
          {"team", number(wait.team)},
          {"word", wait.word},
          {"value", value_of(wait)},
          {"until", awaited.empty() ? Json() : Json(awaited)},
          {"seconds", rounded(wait.seconds)}};
}

Json object_of(const jobs::RankSeen& rank) {
  return {{"rank", rank.rank},
          {"node", rank.node},
          {"process", rank.pid},
          {"does", describe(rank)},
          {"wait", rank.wait ? object_of(*rank.wait) : Json()},
          {"waited", rounded(rank.waited)},
          {"computed", rounded(rank.computed)},
          {"delayed", rounded(rank.delayed)},
          {"calls", rank.calls},
          {"system_call", rank.system_call},
          {"polls", rank.polls},
          {"loop", rank.loop},
          {"loop_reads", rank.loop_reads}};
}

}  // namespace

std::string to_json(const Report& report) {
  const auto& [job, diagnosis, places, writers] = report;
  return gondwana::to_text(Json{
      {"job", job.id},
      {"program", job.program},
      {"ranks", job.ranks},
      {"nodes", job.nodes},
      {"watched", rounded(job.watched_s)},
      {"ended", is_over(job)},
      {"hosts", list_of(job.found, [](const jobs::NodeSeen& node) { return object_of(node); })},
      {"findings", diagnosis.sentences},
      {"culprits", diagnosis.culprits},
      {"places", list_of(places, [](const stacks::Place& place) { return object_of(place); })},
      {"writers", writers},
      {"seen", list_of(job.seen, [](const jobs::RankSeen& rank) { return object_of(rank); })}});
}

}  // namespace gondwana::why
