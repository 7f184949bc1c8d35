#include "core/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/parse.hpp"

namespace gondwana {
namespace {

constexpr std::array<std::string_view, 3> heap_aliases{
    "SHMEM_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_HEAP_SIZE", "SMA_SYMMETRIC_SIZE"};

constexpr std::array<std::string_view, 2> version_aliases{"SHMEM_VERSION", "SMA_VERSION"};
constexpr std::array<std::string_view, 2> info_aliases{"SHMEM_INFO", "SMA_INFO"};
constexpr std::array<std::string_view, 2> checks_aliases{"SHMEM_DEBUG", "SMA_DEBUG"};

constexpr std::array<std::string_view, 1> backtrace_aliases{"GASNET_BACKTRACE"};
constexpr std::array<std::string_view, 1> freeze_aliases{"GASNET_FREEZE"};
constexpr std::array<std::string_view, 1> freeze_on_error_aliases{"GASNET_FREEZE_ON_ERROR"};

constexpr std::array<std::string_view, 1> node_aliases{"GASNET_SUPERNODE_MAXSIZE"};

constexpr std::array<std::string_view, 1> barrier_aliases{"SHMEM_BARRIER_ALGORITHM"};
constexpr std::array<std::string_view, 1> broadcast_aliases{"SHMEM_BCAST_ALGORITHM"};
constexpr std::array<std::string_view, 1> reduce_aliases{"SHMEM_REDUCE_ALGORITHM"};
constexpr std::array<std::string_view, 1> collect_aliases{"SHMEM_COLLECT_ALGORITHM"};
constexpr std::array<std::string_view, 1> fcollect_aliases{"SHMEM_FCOLLECT_ALGORITHM"};
constexpr std::array<std::string_view, 1> alltoall_aliases{"SHMEM_ALLTOALL_ALGORITHM"};
constexpr std::array<std::string_view, 1> scan_aliases{"SHMEM_SCAN_ALGORITHM"};

// Set by the launcher for the program, or by a rank for programs it starts, or read by the launcher
// or the Python package.
constexpr std::array<std::string_view, 7> variables_of_others{
    "GONDWANA_JOIN_FD", "GONDWANA_JOINED",  "GONDWANA_RANK",       "GONDWANA_SIZE",
    "GONDWANA_SSH",     "GONDWANA_LIBRARY", "GONDWANA_REMOTE_PATH"};

bool is_for_programs(std::string_view name) {
  return std::ranges::find(variables_of_others, name) != variables_of_others.end();
}

template <typename Value, typename Parse>
auto into(Value Options::* member, Parse parse) {
  return [member, parse](Options& options, std::string_view text) -> Result<void> {
    auto value = parse(text);
    if (!value) return value.error();
    options.*member = static_cast<Value>(*value);
    return {};
  };
}

// Zero is the unset value; a user who asks for nothing gets the smallest heap there is.
Result<std::size_t> at_least_a_byte(Result<std::size_t> size) {
  if (size && *size == 0) return std::size_t{1};
  return size;
}

Result<std::size_t> parse_heap(std::string_view text) {
  return text == "auto" ? Result(std::size_t{0}) : at_least_a_byte(parse_size(text));
}

Result<std::size_t> parse_symmetric_size(std::string_view text) {
  return at_least_a_byte(parse_standard_size(text));
}

Result<std::size_t> parse_eager_limit(std::string_view text) {
  constexpr std::size_t most = 64 * 1024;  // an agent has room for several such messages
  Result<std::size_t> size = parse_size(text);
  if (size && *size > most)
    return Error{Errc::invalid_argument, fmt::format("\"{}\": expected 64K or less", text)};
  return size;
}

Result<std::uint64_t> parse_spins(std::string_view text) {
  return text == "auto" ? Result<std::uint64_t>(0) : parse_number(text, 1, 1'000'000'000);
}

Result<Prefault> parse_prefault(std::string_view text) {
  if (text == "off") return Prefault::off;
  if (text == "local") return Prefault::local;
  if (text == "interleave") return Prefault::interleave;
  return Error{Errc::invalid_argument,
               fmt::format("\"{}\": expected off, local or interleave", text)};
}

Result<Core> parse_core(std::string_view text) {
  if (text == "variables") return Core::variables;
  if (text == "heap") return Core::heap;
  return Error{Errc::invalid_argument, fmt::format("\"{}\": expected variables or heap", text)};
}

Result<RouteOption> parse_route(std::string_view text) {
  if (text == "auto") return RouteOption::automatic;
  if (text == "endpoint") return RouteOption::endpoint;
  if (text == "agent") return RouteOption::agent;
  return Error{Errc::invalid_argument,
               fmt::format("\"{}\": expected auto, endpoint or agent", text)};
}

Result<std::uint64_t> parse_seconds_to_join(std::string_view text) {
  return parse_number(text, 1, 86'400);
}

Result<std::uint64_t> parse_seconds_of_silence(std::string_view text) {
  return parse_number(text, 0, 604'800);
}

// One that other libraries have no name for.
template <typename Value, typename Parse>
OptionRow own_row(std::string_view name, std::string_view fallback, Value Options::* member,
                  Parse parse, std::string_view help) {
  return {name, {}, fallback, help, into(member, parse)};
}

OptionRow plain_switch(std::string_view name, bool Options::* member, std::string_view help) {
  return {name, {}, "no", help, into(member, parse_switch)};
}

// Our name takes yes or no, so that it can also take back what another name says; those of the
// standard mean yes whatever their value.
OptionRow switch_row(std::string_view name, bool Options::* member,
                     std::span<const std::string_view> aliases, std::string_view help) {
  return {name,
          aliases,
          "no",
          help,
          into(member, parse_switch),
          [member](Options& options, std::string_view /*text*/) -> Result<void> {
            options.*member = true;
            return {};
          }};
}

// Looked at by who needs it; auto: nothing.
OptionRow text_row(std::string_view name, std::string Options::* member, std::string_view help) {
  return {
      name, {}, "auto", help, [member](Options& options, std::string_view text) -> Result<void> {
        options.*member = text == "auto" ? "" : text;
        return {};
      }};
}

OptionRow algorithm_row(Collective collective, std::string_view name,
                        std::span<const std::string_view> aliases, std::string_view help) {
  return {name, aliases, "auto", help,
          [collective](Options& options, std::string_view text) -> Result<void> {
            const Result<Algorithm> algorithm = parse_algorithm(collective, text);
            if (!algorithm) return algorithm.error();
            options.algorithms.choose(collective, *algorithm);
            return {};
          }};
}

}  // namespace

std::span<const OptionRow> option_table() {
  static const std::array rows{
      OptionRow{"GONDWANA_HEAP_SIZE", heap_aliases, "auto",
                "symmetric heap of each rank, such as 512M or 4G; auto: half of the memory of the "
                "node, shared out",
                into(&Options::heap_size, parse_heap),
                into(&Options::heap_size, parse_symmetric_size)},
      plain_switch("GONDWANA_HEAP_OVERCOMMIT", &Options::heap_overcommit,
                   "allow heaps that together exceed the memory of the node (pages are committed "
                   "when first touched)"),
      own_row("GONDWANA_CORE", "variables", &Options::core, parse_core,
              "what a core dump has of the symmetric memory: variables, or heap for its heap too"),
      own_row("GONDWANA_PREFAULT", "off", &Options::prefault, parse_prefault,
              "take the memory of the heap at start, in parallel: local, near the rank, or "
              "interleave, from all NUMA domains in turn; off: when first touched"),
      plain_switch("GONDWANA_HUGETLB", &Options::hugetlb,
                   "put the heap on huge pages of 2 MiB that the administrator has set aside, as "
                   "far as they go"),
      own_row("GONDWANA_SPINS", "auto", &Options::spins, parse_spins,
              "looks at memory before a waiting rank first yields its processor; auto: many where "
              "each rank has a processor, few where not"),
      own_row("GONDWANA_JOIN_TIMEOUT", "60", &Options::join_timeout, parse_seconds_to_join,
              "seconds that a rank started by mpirun, srun or mpiexec waits for the others"),
      OptionRow{
          "GONDWANA_NODE_RANKS", node_aliases, "0",
          "the largest number of ranks on a node, which share memory, so that one machine can "
          "play several nodes; 0: all on a machine",
          into(&Options::node_ranks,
               [](std::string_view text) { return parse_number(text, 0, 1U << 20); })},
      own_row("GONDWANA_PEER_TIMEOUT", "20", &Options::peer_timeout, parse_seconds_of_silence,
              "seconds of silence after which another host is taken for lost; 0: never"),
      own_row("GONDWANA_EAGER_LIMIT", "2K", &Options::eager_limit, parse_eager_limit,
              "puts to another node of at most so many bytes go as one message, in order; 0: none"),
      own_row("GONDWANA_ROUTE", "auto", &Options::route, parse_route,
              "how messages go to other nodes: endpoint, by connections of each rank, or agent, by "
              "one for each two nodes, slower; auto: by the number of ranks"),
      text_row("GONDWANA_NETWORK_LIBRARY", &Options::network_library,
               "library between nodes: ofi, which is libfabric, or ucx; auto: the first that is "
               "here"),
      text_row("GONDWANA_PROVIDER", &Options::provider,
               "provider of libfabric between nodes, such as tcp;ofi_rxm; auto: the first of cxi, "
               "efa, psm3, opx, verbs;ofi_rxm, tcp;ofi_rxm that is here"),
      text_row("GONDWANA_NETWORK", &Options::network,
               "network between nodes, such as 10.1.0.0/16; auto: the first that is not this "
               "machine alone"),
      switch_row("GONDWANA_VERSION", &Options::version, version_aliases,
                 "rank 0 prints the version of the library when it starts"),
      switch_row("GONDWANA_INFO", &Options::info, info_aliases,
                 "rank 0 prints these variables, their values and meanings when it starts"),
      switch_row("GONDWANA_DEBUG", &Options::checks, checks_aliases,
                 "arguments, threads and matching collectives of all calls are checked; slower"),
      OptionRow{"GONDWANA_BACKTRACE", backtrace_aliases, "no",
                "a crash prints the stack of its rank, with files and lines",
                into(&Options::backtrace, parse_switch)},
      OptionRow{"GONDWANA_FREEZE", freeze_aliases, "no",
                "each rank waits for a debugger when it starts",
                into(&Options::freeze, parse_switch)},
      OptionRow{"GONDWANA_FREEZE_ON_ERROR", freeze_on_error_aliases, "no",
                "a rank that crashes waits for a debugger",
                into(&Options::freeze_on_error, parse_switch)},
      algorithm_row(Collective::barrier, "GONDWANA_BARRIER_ALGORITHM", barrier_aliases,
                    "how ranks wait for one another: auto, linear, tree, dissem, levels"),
      algorithm_row(Collective::broadcast, "GONDWANA_BCAST_ALGORITHM", broadcast_aliases,
                    "how broadcasts go: auto, linear, tree, levels"),
      algorithm_row(Collective::reduce, "GONDWANA_REDUCE_ALGORITHM", reduce_aliases,
                    "how reductions go: auto, linear, ring, tree, recdbl, levels"),
      algorithm_row(Collective::collect, "GONDWANA_COLLECT_ALGORITHM", collect_aliases,
                    "how collects go: auto, linear, ring, recdbl"),
      algorithm_row(Collective::fcollect, "GONDWANA_FCOLLECT_ALGORITHM", fcollect_aliases,
                    "how fcollects go: auto, linear, ring, recdbl, levels"),
      algorithm_row(Collective::alltoall, "GONDWANA_ALLTOALL_ALGORITHM", alltoall_aliases,
                    "how all-to-alls go: auto, linear"),
      algorithm_row(Collective::scan, "GONDWANA_SCAN_ALGORITHM", scan_aliases,
                    "how prefix sums go: auto, linear, recdbl"),
  };
  return rows;
}

Setting setting_of(const OptionRow& row, const Environment& environment) {
  const auto value_of = [&](std::string_view name) {
    return environment(std::string(name).c_str());
  };
  if (const char* text = value_of(row.name); text != nullptr) return {row.name, text};
  for (const std::string_view alias : row.aliases)
    if (const char* text = value_of(alias); text != nullptr) return {alias, text};
  return {{}, std::string(row.fallback)};
}

Result<Options> read_options(const Environment& environment) {
  Options options;
  for (const OptionRow& row : option_table()) {
    const auto [variable, value] = setting_of(row, environment);
    const bool by_alias = !variable.empty() && variable != row.name;
    const auto& assign = by_alias && row.assign_alias ? row.assign_alias : row.assign;
    if (const Result<void> assigned = assign(options, value); !assigned)
      return Error{Errc::invalid_argument, fmt::format("{} {}", variable, assigned.error().text)};
  }
  return options;
}

std::vector<std::string> unknown_variables(char** environ) {
  constexpr std::string_view prefix = "GONDWANA_";
  std::vector<std::string_view> known;  // without the prefix, or all would be alike
  for (const OptionRow& row : option_table()) known.push_back(row.name.substr(prefix.size()));
  std::vector<std::string> sentences;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name =
        std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    if (!name.starts_with(prefix) || is_for_programs(name)) continue;
    const std::string_view own_part = name.substr(prefix.size());
    if (std::ranges::find(known, own_part) != known.end()) continue;
    const std::string_view likely = nearest(own_part, known);
    sentences.push_back(likely.empty()
                            ? fmt::format("{} is not a variable of Gondwana", name)
                            : fmt::format("{} is not a variable of Gondwana; did you mean {}{}?",
                                          name, prefix, likely));
  }
  return sentences;
}

}  // namespace gondwana
