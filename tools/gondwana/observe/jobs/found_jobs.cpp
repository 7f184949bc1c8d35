#include "observe/jobs/found_jobs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "bootstrap/protocol.hpp"
#include "core/parse.hpp"
#include "core/process_stat.hpp"
#include "core/unique_fd.hpp"
#include "memory/live.hpp"

namespace gondwana::jobs {
namespace {

bool is_control_memory(const std::string& link) {
  static const std::string name = fmt::format("/memfd:{}", control_label);
  std::string target(name.size(), '\0');
  const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  return length == static_cast<ssize_t>(name.size()) && target == name;
}

struct FoundFile {
  UniqueFd file;
  pid_t holder;
  uid_t user;
};

using FileNumber = std::pair<dev_t, ino_t>;

// Lists each file once, however many processes hold it.
std::vector<FoundFile> control_files(Whose whose) {
  std::vector<FoundFile> files;
  std::set<FileNumber> known;
  for (const pid_t process : numbers_in_folder("/proc")) {
    const std::string folder = fmt::format("/proc/{}/fd", process);
    for (const pid_t number : numbers_in_folder(folder)) {
      const std::string link = fmt::format("{}/{}", folder, number);
      if (!is_control_memory(link)) continue;
      // The name may belong to something else: opening it must not block, and reading it must not
      // kill this process.
      UniqueFd file(::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
      struct stat facts{};
      if (file.get() < 0 || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode) ||
          (whose == Whose::mine && facts.st_uid != ::geteuid()))
        continue;
      const int seals = ::fcntl(file.get(), F_GET_SEALS);
      if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) continue;
      if (known.emplace(facts.st_dev, facts.st_ino).second)
        files.push_back({std::move(file), process, facts.st_uid});
    }
  }
  return files;
}

Mapping map_to_read(const UniqueFd& file) {
  struct stat facts{};
  if (::fstat(file.get(), &facts) != 0 || facts.st_size == 0) return {};
  const auto length = static_cast<std::size_t>(facts.st_size);
  void* start = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file.get(), 0);
  if (start == MAP_FAILED) return {};
  return {static_cast<std::byte*>(start), length};
}

ControlLayout layout_of(const NodeFacts& facts) {
  return ControlLayout(facts.slots, facts.node_slots, facts.ring_size,
                       static_cast<std::uint32_t>(facts.teams));
}

// Checks that the numbers are small enough for all computations.
bool are_possible(const NodeFacts& facts) {
  const bool has_node = facts.node < facts.node_slots && facts.nodes <= facts.node_slots &&
                        facts.nodes <= facts.job_ranks &&
                        facts.node_slots <= 2 * protocol::max_ranks;
  const bool has_ranks = facts.ranks.size() > 0 && facts.job_ranks <= protocol::max_ranks &&
                         facts.ranks.are_among(facts.job_ranks + facts.node_slots - facts.nodes) &&
                         facts.slots >= facts.ranks.size() && facts.slots <= protocol::max_ranks;
  const bool has_rings = facts.ring_size == 0 ||
                         (std::has_single_bit(facts.ring_size) &&
                          facts.ring_size >= min_ring_size && facts.ring_size <= largest_ring_size);
  return has_ranks && has_node && has_rings && facts.teams <= NodePlan::max_teams;
}

// A node that disagrees, or that has the same number as another node, belongs to another job.
bool is_of(const FoundJob& job, const NodeFacts& node) {
  const NodeFacts& facts = job.facts();
  const bool may_grow = facts.nodes < facts.node_slots;  // the nodes learn of it one by one
  const bool agrees = facts.nodes == node.nodes && facts.job_ranks == node.job_ranks;
  return facts.job == node.job && facts.node_slots == node.node_slots && (may_grow || agrees) &&
         std::ranges::none_of(
             job.nodes, [&](const FoundNode& other) { return other.facts().node == node.node; });
}

void add(FoundJobs& found, FoundNode node) {
  const auto job = std::ranges::find_if(
      found.jobs, [&](const FoundJob& each) { return is_of(each, node.facts()); });
  if (job == found.jobs.end())
    found.jobs.emplace_back().nodes.push_back(std::move(node));
  else
    job->nodes.push_back(std::move(node));
}

// Whether `process` is `descendant` or one of its ancestors.
bool is_above(pid_t process, pid_t descendant) {
  while (descendant > 1 && descendant != process) descendant = stat_of(descendant).parent;
  return descendant == process;
}

// The command line of a rank, found below its guardian: a rank's process is not known until it
// runs.
std::string program_below(pid_t guardian) {
  for (const pid_t child : children_of(guardian, guardian).value_or(std::vector<pid_t>()))
    if (!variable_of(child, "GONDWANA_RANK").empty()) return command_line_of(child);
  return {};
}

bool is_part_of(const FoundJob& job, pid_t process) {
  return std::ranges::any_of(job.nodes, [&](const FoundNode& node) {
    if (is_above(process, node.holder())) return true;
    for (std::uint32_t local = 0; local < node.facts().ranks.size(); ++local)
      if (node.process(local) == process) return true;
    return false;
  });
}

bool has_same_numbering(pid_t process) {
  std::error_code failure;
  const auto theirs =
      std::filesystem::read_symlink(fmt::format("/proc/{}/ns/pid", process), failure);
  return theirs == std::filesystem::read_symlink("/proc/self/ns/pid", failure);
}

}  // namespace

// Includes the ranks that have joined later.
std::optional<NodeFacts> read_facts(const Mapping& memory) {
  if (memory.size() < ControlLayout::header_size) return std::nullopt;
  const auto& header = shared_at<NodeHeader>(memory.data(), 0);
  NodeFacts facts = copy_live(header.facts);
  const bool belong_to_us = facts.layout == memory_fingerprint && are_possible(facts) &&
                            memory.size() == layout_of(facts).size();
  if (!belong_to_us) return std::nullopt;
  const std::uint32_t ranks = facts.ranks.size();
  const std::uint32_t added = header.growth.added.load(std::memory_order_relaxed);
  const std::uint32_t added_here = std::min(added, facts.slots - ranks);
  facts.ranks = NodeRanks(index(facts.ranks.front()), ranks + added_here);
  const std::uint32_t most = facts.slots - ranks + facts.node_slots - facts.nodes;
  facts.job_ranks += std::min(added, most);
  facts.nodes +=
      std::min(header.growth.nodes.load(std::memory_order_relaxed), facts.node_slots - facts.nodes);
  return facts;
}

FoundNode::FoundNode(Mapping memory, const NodeFacts& facts, pid_t holder, uid_t user)
    : memory_(std::move(memory)),
      facts_(facts),
      layout_(layout_of(facts)),
      holder_(holder),
      user_(user),
      has_our_numbers_(has_same_numbering(holder)) {}

const NodeHeader& FoundNode::header() const {
  return shared_at<NodeHeader>(memory_.data(), 0);
}

const ControlPage& FoundNode::page(std::uint32_t local) const {
  return shared_at<ControlPage>(memory_.data(), layout_.page(local));
}

const ThreadSlots& FoundNode::threads(std::uint32_t local) const {
  return shared_at<ThreadSlots>(memory_.data(), layout_.threads(local));
}

const DeathPlace& FoundNode::death(std::uint32_t local) const {
  return shared_at<DeathPlace>(memory_.data(), ControlLayout::death(facts_.ranks[local]));
}

bool FoundNode::is_dead(std::uint32_t local) const {
  const DeathPlace& place = death(local);
  return place.number.load(std::memory_order_relaxed) != 0 && !has_left(local) &&
         place.running.load(std::memory_order_relaxed) <=
             place.incarnation.load(std::memory_order_relaxed);
}

bool FoundNode::has_left(std::uint32_t local) const {
  return death(local).has_left.load(std::memory_order_relaxed) != 0;
}

std::uint32_t FoundNode::restarts(std::uint32_t local) const {
  return death(local).running.load(std::memory_order_relaxed);
}

const ShownTeam* FoundNode::shown_team(std::uint32_t local, std::uint32_t team) const {
  if (team >= facts_.teams) return nullptr;
  return &shared_at<ShownTeam>(memory_.data(), layout_.shown_team(local, team));
}

pid_t FoundNode::process(std::uint32_t local) const {
  if (!has_our_numbers_) return 0;
  return process_in(page(local).presence.process);
}

// All ranks of a node move together.
std::uint32_t FoundNode::nodes_in_use() const {
  std::uint32_t left = facts_.nodes;
  for (std::uint32_t node = 0; node < facts_.nodes; ++node) {
    const auto& entry = shared_at<NodeEntry>(memory_.data(), layout_.entry(node));
    if (entry.state.load(std::memory_order_acquire) == NodeState::unknown) continue;
    const Rank first = entry.info.ranks.front();
    if (index(first) >= facts_.job_ranks) continue;
    const auto& place = shared_at<DeathPlace>(memory_.data(), ControlLayout::death(first));
    const std::uint32_t moved = place.node.load(std::memory_order_relaxed);
    left -= moved != 0 && moved != node + 1 ? 1 : 0;
  }
  return left;
}

std::string FoundNode::host_of(std::uint32_t node) const {
  const auto& entry = shared_at<NodeEntry>(memory_.data(), layout_.entry(node));
  if (entry.state.load(std::memory_order_acquire) == NodeState::unknown) return {};
  return text_in(entry.info.host);
}

std::string FoundJob::id_of(std::uint32_t number) {
  return fmt::format("{:08x}", number);
}

std::string FoundJob::program() const {
  for (const FoundNode& node : nodes)
    for (std::uint32_t local = 0; local < node.facts().ranks.size(); ++local)
      if (const pid_t process = node.process(local); process != 0)
        if (std::string line = command_line_of(process); !line.empty()) return line;
  return program_below(nodes.front().holder());
}

FoundJobs find_jobs(Whose whose) {
  FoundJobs found;
  for (const FoundFile& file : control_files(whose)) {
    Mapping memory = map_to_read(file.file);
    if (const std::optional<NodeFacts> facts = read_facts(memory))
      add(found, FoundNode(std::move(memory), *facts, file.holder, file.user));
    else
      found.notes.push_back(fmt::format(
          "process {} belongs to a job of another version of Gondwana: use the gondwana command of "
          "that version; or the program has damaged the memory that describes the job",
          file.holder));
  }
  for (FoundJob& job : found.jobs)
    std::ranges::sort(job.nodes, {}, [](const FoundNode& node) { return node.facts().node; });
  std::ranges::sort(found.jobs, {}, [](const FoundJob& job) { return job.facts().began_s; });
  return found;
}

std::vector<std::string> ids_meant(const FoundJobs& found, std::string_view word) {
  const Result<std::uint64_t> number = parse_number(word, 1, INT_MAX);
  std::vector<std::string> ids;
  for (const FoundJob& job : found.jobs) {
    const bool by_process = number && is_part_of(job, static_cast<pid_t>(*number));
    if (by_process || job.id().starts_with(word) || is_program(job.program(), word))
      ids.push_back(job.id());
  }
  return ids;
}

// An interpreter precedes its script.
bool is_program(std::string_view command_line, std::string_view name) {
  const auto file_of = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
  const std::string_view file = file_of(name);
  for (int words = 0; words < 2 && !file.empty(); ++words) {
    const std::string_view word = command_line.substr(0, command_line.find(' '));
    if (file_of(word) == file) return true;
    command_line.remove_prefix(std::min(word.size() + 1, command_line.size()));
  }
  return false;
}

Error no_job(std::string_view word, std::string_view where, const std::vector<std::string>& notes) {
  const std::string note = notes.empty() ? "" : fmt::format(" ({})", notes.front());
  return Error{Errc::invalid_argument,
               word.empty() ? fmt::format("no job of yours runs {}{}", where, note)
                            : fmt::format("no job of yours {} has the id, process or program {}; "
                                          "gondwana ps lists them{}",
                                          where, word, note)};
}

std::optional<FoundJob> take(FoundJobs found, std::string_view id) {
  for (FoundJob& job : found.jobs)
    if (job.id() == id) return std::move(job);
  return std::nullopt;
}

}  // namespace gondwana::jobs
