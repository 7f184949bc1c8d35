#include "report/top/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/counters.hpp"
#include "report/why/diagnosis.hpp"
#include "report/why/wait_graph.hpp"

namespace gondwana::top {
namespace {

using jobs::JobSeen;
using jobs::NodeSeen;
using jobs::RankSeen;

// Escapes a label value, which stands in quotation marks.
std::string escape(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\\' || letter == '"') result += '\\';
    if (letter == '\n')
      result += "\\n";
    else
      result += letter;
  }
  return result;
}

enum class Kind : std::uint8_t { counter, gauge };

class Page {
 public:
  explicit Page(const JobSeen& job) : job_(&job), diagnosis_(why::diagnose(job)) {
    for (const NodeSeen& node : job.found) {
      node_labels_.push_back(
          fmt::format(R"(job_id="{}",node="{}",host="{}")", job.id, node.node, escape(node.host)));
      for (const RankSeen& rank : job.seen)
        if (rank.node == node.node)
          ranks_.push_back({&rank, fmt::format(R"({},rank="{}")", node_labels_.back(), rank.rank)});
    }
  }

  std::string make() {
    report_job();
    report_counts();
    report_states();
    report_agents();
    return std::move(text_);
  }

 private:
  struct LabelledRank {
    const RankSeen* seen;
    std::string labels;
  };

  void begin(std::string_view name, Kind kind, std::string_view help) {
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name,
                         kind == Kind::counter ? "counter" : "gauge");
  }
  void add(std::string_view name, std::string_view labels, auto value) {
    text_ += fmt::format("{}{{{}}} {}\n", name, labels, value);
  }
  void for_job(std::string_view name, std::string_view help, auto value) {
    begin(name, Kind::gauge, help);
    add(name, fmt::format(R"(job_id="{}",program="{}")", job_->id, escape(job_->program)), value);
  }
  void for_ranks(std::string_view name, Kind kind, std::string_view help, const auto& value) {
    begin(name, kind, help);
    for (const LabelledRank& rank : ranks_) add(name, rank.labels, value(*rank.seen));
  }
  void for_agents(std::string_view name, Kind kind, std::string_view help, const auto& value) {
    const auto has_agent = [](const NodeSeen& node) { return node.agent.has_value(); };
    if (std::ranges::none_of(job_->found, has_agent)) return;
    begin(name, kind, help);
    for (std::size_t i = 0; i < job_->found.size(); ++i)
      if (job_->found[i].agent) add(name, node_labels_[i], value(*job_->found[i].agent));
  }

  void report_job() {
    for_job("gondwana_job_ranks", "Ranks of the job, on all nodes.", job_->ranks);
    for_job("gondwana_job_nodes", "Nodes of the job.", job_->nodes);
    for_job("gondwana_job_nodes_seen", "Nodes of the job that could be examined.",
            job_->found.size());
  }

  // Adds one sample for each count, distinguished by a label.
  void add_counts(std::string_view name, std::string_view help, std::string_view label,
                  std::initializer_list<std::pair<std::string_view, Count>> counts) {
    begin(name, Kind::counter, help);
    for (const LabelledRank& rank : ranks_)
      for (const auto& [value, count] : counts)
        add(name, fmt::format(R"({},{}="{}")", rank.labels, label, value),
            rank.seen->totals.at(static_cast<std::size_t>(count)));
  }

  void report_counts() {
    add_counts("gondwana_rank_operations_total", "Operations that the rank has called.",
               "operation",
               {{"put", Count::puts},
                {"get", Count::gets},
                {"atomic", Count::atomics},
                {"sync", Count::syncs}});
    add_counts("gondwana_rank_bytes_total", "Bytes that the rank has put and got.", "operation",
               {{"put", Count::put_bytes}, {"get", Count::get_bytes}});
    const auto total = [](Count count) {
      return
          [count](const RankSeen& rank) { return rank.totals.at(static_cast<std::size_t>(count)); };
    };
    for_ranks("gondwana_rank_waits_total", Kind::counter, "Waits that were longer than a spin.",
              total(Count::waits));
    for_ranks("gondwana_rank_sleeps_total", Kind::counter,
              "Times that the rank fell asleep while it waited.", total(Count::sleeps));
    for_ranks("gondwana_rank_messages_total", Kind::counter,
              "Messages to and from ranks of other nodes.",
              [](const RankSeen& rank) { return rank.messages_total; });
    for_ranks("gondwana_rank_cpu_seconds_total", Kind::counter,
              "Processor time of all threads of the rank.",
              [](const RankSeen& rank) { return rank.used_s; });
  }

  void report_states() {
    for_ranks("gondwana_rank_up", Kind::gauge,
              "1 while the rank takes part in the job and can continue.",
              [](const RankSeen& rank) { return why::is_alive(rank) ? 1 : 0; });
    for_ranks("gondwana_rank_wait_ratio", Kind::gauge,
              "Share of the last interval that the rank spent in waits.",
              [](const RankSeen& rank) { return rank.waited; });
    for_ranks("gondwana_rank_wait_seconds", Kind::gauge,
              "Duration of the rank's current wait; 0: none.",
              [](const RankSeen& rank) { return rank.wait ? rank.wait->seconds : 0.0; });
    for_ranks("gondwana_rank_operations_in_flight", Kind::gauge,
              "Operations that other nodes have not answered yet.",
              [](const RankSeen& rank) { return rank.pending; });
    for_ranks("gondwana_rank_keeps_others_waiting", Kind::gauge,
              "1 if gondwana why names the rank as the one that keeps the others waiting.",
              [this](const RankSeen& rank) {
                const auto& culprits = diagnosis_.culprits;
                return std::ranges::find(culprits, rank.rank) != culprits.end() ? 1 : 0;
              });
  }

  void report_agents() {
    using jobs::AgentSeen;
    for_agents("gondwana_agent_cpu_seconds_total", Kind::counter,
               "Processor time of the node agent.",
               [](const AgentSeen& agent) { return agent.used_s; });
    for_agents("gondwana_agent_batches_total", Kind::counter,
               "Batches of requests that the agent has executed for other nodes.",
               [](const AgentSeen& agent) { return agent.batches_total; });
    for_agents("gondwana_agent_waiting", Kind::gauge,
               "Processes and batches whose bytes wait for the network.",
               [](const AgentSeen& agent) { return agent.waiting; });
    for_agents("gondwana_agent_in_flight_bytes", Kind::gauge,
               "Bytes that the agent has passed to the network and that are still in flight.",
               [](const AgentSeen& agent) { return agent.leaving; });
  }

  const JobSeen* job_;
  why::Diagnosis diagnosis_;
  std::vector<std::string> node_labels_;
  std::vector<LabelledRank> ranks_;
  std::string text_;
};

}  // namespace

std::string to_metrics(const JobSeen& job) {
  return Page(job).make();
}

}  // namespace gondwana::top
