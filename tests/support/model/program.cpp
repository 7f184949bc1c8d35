#include "support/model/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>

#include "core/assert.hpp"
#include "support/model/memory.hpp"

namespace gondwana::model {
namespace {

// Leaves a thread whose next operation has no result yet.
struct Suspended {};

// The one run in progress on this thread of the test program.
struct Run {
  std::span<const std::uint32_t> results;
  std::map<const void*, std::uint8_t>* words;
  std::map<const void*, std::uint8_t>* data;
  Operation wanted;
};

Run*& current_run() {
  thread_local Run* run = nullptr;
  return run;
}

bool concerns_data(Kind kind) {
  return kind == Kind::read_data || kind == Kind::write_data;
}

bool concerns_word(Kind kind) {
  return kind == Kind::load || kind == Kind::store || kind == Kind::fetch_add ||
         kind == Kind::exchange || kind == Kind::compare_exchange || kind == Kind::futex_wait ||
         kind == Kind::futex_wake;
}

std::uint8_t number_of(const void* place, std::map<const void*, std::uint8_t>& numbers,
                       std::size_t most) {
  const auto [entry, added] = numbers.try_emplace(place, static_cast<std::uint8_t>(numbers.size()));
  GONDWANA_ASSERT(numbers.size() <= most, numbers.size(), most);
  return entry->second;
}

// The next operation of the phase after `results`; nothing if it ended.
std::optional<Operation> wanted_after(const Phase& phase, Run run) {
  current_run() = &run;
  std::optional<Operation> wanted;
  try {
    phase();
  } catch (const Suspended&) {
    wanted = run.wanted;
  }
  current_run() = nullptr;
  return wanted;
}

const char* name_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    default:
      return "seq_cst";
  }
}

std::string find_name(const std::map<const void*, std::uint8_t>& numbers,
                      const std::map<const void*, std::string>& names, std::uint8_t number,
                      const char* sort) {
  for (const auto& [place, its_number] : numbers)
    if (const auto name = names.find(place); its_number == number && name != names.end())
      return name->second;
  return fmt::format("{} {}", sort, number);
}

}  // namespace

std::uint32_t perform(const void* place, Operation operation) {
  Run* run = current_run();
  if (run == nullptr) throw std::logic_error("a word of the model used outside a scenario");
  if (!run->results.empty()) {
    const std::uint32_t result = run->results.front();
    run->results = run->results.subspan(1);
    return result;
  }
  if (concerns_word(operation.kind)) operation.place = number_of(place, *run->words, max_words);
  if (concerns_data(operation.kind)) operation.place = number_of(place, *run->data, max_data);
  run->wanted = operation;
  throw Suspended{};
}

void Program::add_thread(std::string name, std::vector<Phase> phases) {
  GONDWANA_ASSERT(threads_.size() < max_threads, threads_.size());
  threads_.push_back({std::move(name), std::move(phases), {}});
}

void Program::name(const void* place, std::string name) {
  names_[place] = std::move(name);
}

NodeId Program::phase_root(std::size_t thread, std::size_t phase) {
  const auto known = threads_[thread].roots.find(phase);
  if (known != threads_[thread].roots.end()) return known->second;
  const NodeId root = settle({.thread = thread, .phase = phase, .is_root = true});
  threads_[thread].roots.emplace(phase, root);
  return root;
}

NodeId Program::after(NodeId node, std::uint32_t result) {
  for (const auto& [its_result, child] : nodes_[node].children)
    if (its_result == result) return child;
  const NodeId child = settle({.thread = nodes_[node].thread,
                               .phase = nodes_[node].phase,
                               .parent = node,
                               .result = result});
  nodes_[node].children.emplace_back(result, child);
  return child;
}

NodeId Program::settle(Node node) {
  const Thread& thread = threads_[node.thread];
  const std::vector<std::uint32_t> results = results_up_to(node);
  const auto wanted = wanted_after(thread.phases[node.phase], Run{results, &words_, &data_, {}});
  if (!wanted && node.phase + 1 < thread.phases.size())
    return phase_root(node.thread, node.phase + 1);
  node.next = wanted.value_or(Operation{});
  nodes_.push_back(std::move(node));
  return static_cast<NodeId>(nodes_.size() - 1);
}

std::vector<std::uint32_t> Program::results_up_to(const Node& node) const {
  std::vector<std::uint32_t> results;
  for (const Node* at = &node; !at->is_root; at = &nodes_[at->parent])
    results.push_back(at->result);
  std::ranges::reverse(results);
  return results;
}

std::string Program::describe(const Operation& operation) const {
  const std::string word = find_name(words_, names_, operation.place, "word");
  const std::string data = find_name(data_, names_, operation.place, "data");
  const char* order = name_of(operation.order);
  switch (operation.kind) {
    case Kind::load:
      return fmt::format("{}.load({})", word, order);
    case Kind::store:
      return fmt::format("{}.store({}, {})", word, operation.value, order);
    case Kind::fetch_add:
      return fmt::format("{}.fetch_add({}, {})", word, operation.value, order);
    case Kind::exchange:
      return fmt::format("{}.exchange({}, {})", word, operation.value, order);
    case Kind::compare_exchange:
      return fmt::format("{}.compare_exchange({}, {}, {})", word, operation.expected,
                         operation.value, order);
    case Kind::release_fence:
      return "release_fence()";
    case Kind::acquire_fence:
      return "acquire_fence()";
    case Kind::light_fence:
      return "light_fence()";
    case Kind::heavy_fence:
      return "heavy_fence()";
    case Kind::futex_wait:
      return fmt::format("futex_wait({}, {}, {})", word, operation.value,
                         operation.timed ? "timed" : "untimed");
    case Kind::futex_wake:
      return fmt::format("futex_wake_all({})", word);
    case Kind::wait_for_change:
      return "wait_for_change()";
    case Kind::read_data:
      return fmt::format("{}.read()", data);
    case Kind::write_data:
      return fmt::format("{}.write({})", data, operation.value);
    case Kind::fail:
      return fmt::format("expects: {}", operation.what);
    case Kind::finished:
      return "finished";
  }
  return {};
}

}  // namespace gondwana::model
