#include "why/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "json_text.hpp"
#include "memory/rank_report.hpp"
#include "modules.hpp"
#include "why/wait_graph.hpp"

namespace gondwana::why {

using jobs::JobSeen;
using jobs::RankSeen;

namespace {

// Yama lets a process look into its own children only.
std::string refused(const Error& error) {
  if (error.text.find("not permitted") == std::string::npos) return error.text;
  return error.text +
         "; the setting kernel.yama.ptrace_scope or the container forbids it: let the "
         "administrator "
         "set it to 0, or start the program with GONDWANA_BACKTRACE=yes and send the rank SIGABRT";
}

Result<std::vector<Frame>> stack_of(pid_t process) {
  const Result<void*> function = find_in_module("libgondwana_stacks.so", stack_symbol);
  if (!function)
    return Error{Errc::missing,
                 fmt::format("stacks need the module of Gondwana that uses libdw: {}",
                             function.error().text)};
  Result<std::vector<Frame>> stack = std::vector<Frame>{};
  reinterpret_cast<FindStack>(*function)(process, &stack);
  if (!stack) return Error{stack.error().code, refused(stack.error())};
  return stack;
}

// Of the culprits that are there, as many as a person reads.
std::vector<Place> places_of(const JobSeen& job, const Diagnosis& diagnosis) {
  constexpr std::size_t most = 4;
  std::vector<Place> places;
  for (const RankSeen& rank : job.seen) {
    const bool is_culprit =
        std::ranges::find(diagnosis.culprits, rank.rank) != diagnosis.culprits.end();
    const Does what = does(rank);
    if (!is_culprit || what == Does::lost || rank.pid == 0 || what == Does::left) continue;
    if (places.size() == most) break;
    places.push_back({rank.rank, rank.pid, stack_of(rank.pid)});
  }
  return places;
}

std::string text_of(const Frame& frame) {
  std::string text = frame.function.empty() ? fmt::format("{:#x}", frame.address) : frame.function;
  if (!frame.file.empty())
    text += fmt::format(" at {}:{}", frame.file, frame.line);
  else if (!frame.module.empty())
    text += fmt::format(" in {}", frame.module);
  return text;
}

// The innermost frame of the program itself, else the innermost.
std::string text_of(const Place& place) {
  if (!place.stack) return place.stack.error().text;
  const auto& frames = *place.stack;
  const auto own = std::ranges::find_if(frames, [](const Frame& f) { return f.is_program; });
  if (own == frames.end()) return frames.empty() ? "nowhere known" : text_of(frames.front());
  return text_of(*own);
}

// Ranks that do the same, in one line.
std::string table(const JobSeen& job) {
  struct Group {
    std::vector<std::uint32_t> ranks;
    double longest = 0;
    double computed = 0;
  };
  std::map<std::string, Group> groups;
  for (const RankSeen& rank : job.seen) {
    Group& group = groups[describe(rank)];
    group.ranks.push_back(rank.rank);
    group.computed += rank.computed;
    if (rank.wait) group.longest = std::max(group.longest, rank.wait->seconds);
  }
  std::size_t widest = 0;
  for (const auto& [what, group] : groups)
    widest = std::max(widest, format_ranks(group.ranks).size());
  std::string text = fmt::format("  {:<{}}  {:>9}  {:>9}  {}\n", "RANKS",
                                 std::max<std::size_t>(widest, 5), "SINCE", "PROCESSOR", "EACH");
  for (const auto& [what, group] : groups)
    text += fmt::format("  {:<{}}  {:>9}  {:>7.0f} %  {}\n", format_ranks(group.ranks),
                        std::max<std::size_t>(widest, 5),
                        group.longest > 0 ? format_seconds(group.longest) : "",
                        100 * group.computed / static_cast<double>(group.ranks.size()), what);
  return text;
}

}  // namespace

std::string to_text(const Report& report, bool stacks) {
  const auto& [job, diagnosis, places] = report;
  std::string text;
  for (const std::string& sentence : diagnosis.sentences) text += sentence + "\n";
  for (const Place& place : places) {
    text += fmt::format("  rank {} (process {}): {}\n", place.rank, place.pid, text_of(place));
    if (stacks && place.stack)
      for (const Frame& frame : *place.stack) text += fmt::format("      {}\n", text_of(frame));
  }
  return text + fmt::format("job {}, {} ranks of {}\n", job.id, job.ranks, job.program) +
         table(job);
}

namespace {

std::string to_json(const Frame& frame) {
  return fmt::format(R"({{"function": {}, "file": {}, "line": {}, "module": {}}})",
                     json_text(frame.function), json_text(frame.file), frame.line,
                     json_text(frame.module));
}

std::string to_json(const RankSeen& rank) {
  std::string wait = "null";
  const auto number = [](std::uint32_t value) {
    return value == ~std::uint32_t{0} ? std::string("null") : fmt::to_string(value);
  };
  if (rank.wait)
    wait = fmt::format(R"({{"call": {}, "peer": {}, "team": {}, "seconds": {:.3f}}})",
                       json_text(rank.wait->call), number(rank.wait->peer), number(rank.wait->team),
                       rank.wait->seconds);
  return fmt::format(
      R"({{"rank": {}, "node": {}, "process": {}, "does": {}, "wait": {}, "waited": {:.3f}, )"
      R"("computed": {:.3f}, "delayed": {:.3f}, "calls": {}}})",
      rank.rank, rank.node, rank.pid, json_text(describe(rank)), wait, rank.waited, rank.computed,
      rank.delayed, rank.calls);
}

template <typename Items, typename Write>
std::string list(const Items& items, const Write& write) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + write(item);
  return "[" + text + "]";
}

}  // namespace

std::string to_json(const Report& report) {
  const auto& [job, diagnosis, places] = report;
  const auto place = [](const Place& where) {
    return where.stack
               ? fmt::format(R"({{"rank": {}, "stack": {}}})", where.rank,
                             list(*where.stack, [](const Frame& frame) { return to_json(frame); }))
               : fmt::format(R"({{"rank": {}, "error": {}}})", where.rank,
                             json_text(where.stack.error().text));
  };
  return fmt::format(
      "{{\n  \"job\": {},\n  \"program\": {},\n  \"ranks\": {},\n  \"nodes\": {},\n"
      "  \"watched\": {:.3f},\n  \"findings\": {},\n  \"culprits\": {},\n  \"places\": {},\n"
      "  \"seen\": {}\n}}\n",
      json_text(job.id), json_text(job.program), job.ranks, job.nodes, job.watched_s,
      list(diagnosis.sentences, [](const std::string& text) { return json_text(text); }),
      list(diagnosis.culprits, [](std::uint32_t rank) { return fmt::to_string(rank); }),
      list(places, place),
      list(job.seen, [](const RankSeen& rank) { return "\n    " + to_json(rank); }));
}

Report examine(const jobs::FoundJob& job, std::chrono::milliseconds time) {
  JobSeen seen = jobs::watch(job, time);
  Diagnosis diagnosis = diagnose(seen);
  std::vector<Place> places = places_of(seen, diagnosis);
  return {std::move(seen), std::move(diagnosis), std::move(places)};
}

std::string examine_job_of(pid_t process) {
  constexpr std::chrono::milliseconds time{300};
  const Result<jobs::FoundJob> job = jobs::choose_job(jobs::find_jobs(), fmt::to_string(process));
  if (!job) return {};
  std::string text = to_text(examine(*job, time), false);
  text.pop_back();
  return text;
}

}  // namespace gondwana::why
