#include "bootstrap/unique_id/start_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "bootstrap/apinfo.hpp"
#include "bootstrap/protocol.hpp"
#include "core/hash.hpp"
#include "core/parse.hpp"
#include "core/read_file.hpp"

namespace gondwana {
namespace {

// How a launcher tells a process its number, how many processes there are, and the host of the
// first. Null: it does not.
struct LauncherVariables {
  const char* rank;
  const char* size;
  const char* host;
};
// Those that run inside others come first.
constexpr std::array launcher_variables{
    LauncherVariables{"RANK", "WORLD_SIZE", "MASTER_ADDR"},
    LauncherVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr},
    LauncherVariables{"PALS_RANKID", "PMI_SIZE", nullptr},
    LauncherVariables{"FLUX_TASK_RANK", "FLUX_JOB_SIZE", nullptr},
    LauncherVariables{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_NODELIST"},
    LauncherVariables{"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", nullptr},
    LauncherVariables{"PMI_RANK", "PMI_SIZE", nullptr},
    LauncherVariables{"JOB_COMPLETION_INDEX", nullptr, nullptr},
};

constexpr std::size_t longest_apinfo = std::size_t{256} << 20;

// A value, and the variable that it is from.
struct Told {
  std::string name;
  std::string value;
};

std::optional<Told> told_by(VariableId id, const Environment& environment) {
  const Setting setting = setting_of(variable(id), environment);
  if (setting.is_default()) return std::nullopt;
  return Told{variable(id).name, std::string(setting.value)};
}

std::optional<Told> told_by(const char* name, const Environment& environment) {
  const char* value = name == nullptr ? nullptr : environment(name);
  return value == nullptr ? std::nullopt : std::optional(Told{name, value});
}

Error wrong(std::string text) {
  return {Errc::invalid_argument, std::move(text)};
}

Result<std::uint32_t> read_number_in(const std::optional<Told>& told, std::string_view what,
                                     std::uint64_t least, std::uint64_t most) {
  if (!told)
    return wrong(
        fmt::format("GONDWANA_MEET: no variable of a launcher says {}; set "
                    "GONDWANA_MEET_RANK and GONDWANA_MEET_SIZE in each process",
                    what));
  const Result<std::uint64_t> number = parse_number(told->value, least, most);
  if (!number)
    return wrong(fmt::format("{}={}: {} must be a number from {} to {}", told->name, told->value,
                             what, least, most));
  return static_cast<std::uint32_t>(*number);
}

// "node01" of "node[01-03,7],other".
std::string first_host(std::string_view list) {
  const std::size_t open = list.find('[');
  if (open == std::string_view::npos || open > list.find(','))
    return std::string(list.substr(0, list.find(',')));
  const std::size_t close = std::min(list.find(']', open), list.size());
  const std::string_view inside = list.substr(open + 1, close - open - 1);
  std::string_view after = list.substr(std::min(close + 1, list.size()));
  after = after.substr(0, after.find(','));
  return fmt::format("{}{}{}", list.substr(0, open), inside.substr(0, inside.find_first_of("-,")),
                     after);
}

// The application that PALS started, if it started this process.
Result<std::optional<Apinfo>> find_application(const Environment& environment) {
  const auto file = told_by("PALS_APINFO", environment);
  if (!file) return std::optional<Apinfo>();
  const Result<std::string> text = read_file(file->value, longest_apinfo);
  Result<Apinfo> read = text ? read_apinfo(std::as_bytes(std::span(*text))) : text.error();
  if (!read) return wrong(fmt::format("PALS_APINFO={}: {}", file->value, read.error().text));
  return std::optional(*std::move(read));
}

Result<void> read_numbers(const Environment& environment, const LauncherVariables* launcher,
                          const std::optional<Apinfo>& application, StartPlace& place) {
  auto rank = told_by(VariableId::gondwana_meet_rank, environment);
  auto size = told_by(VariableId::gondwana_meet_size, environment);
  if (!rank && launcher != nullptr) rank = told_by(launcher->rank, environment);
  if (!size && application) size = Told{"PALS_APINFO", std::to_string(application->ranks)};
  if (!size && launcher != nullptr) size = told_by(launcher->size, environment);
  const auto ranks = read_number_in(size, "the number of ranks", 1, protocol::max_ranks);
  if (!ranks) return ranks.error();
  const auto number = read_number_in(rank, "the rank of this process", 0, *ranks - 1);
  if (!number) return number.error();
  place.size = *ranks;
  place.rank = *number;
  return {};
}

// HOST:PORT, [ADDRESS]:PORT of IPv6, or :PORT if the launcher names the host.
Result<void> read_meeting(std::string_view text, const std::string& launchers_host,
                          StartPlace& place) {
  const std::size_t colon = text.rfind(':');
  const auto port =
      colon == std::string_view::npos ? Error{} : parse_number(text.substr(colon + 1), 1, 65'535);
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) host = launchers_host;
  if (!port || host.empty())
    return wrong(
        fmt::format("GONDWANA_MEET={}: expected HOST:PORT, the host of rank 0 and a port "
                    "that is free there; torchrun, srun and PALS name the host, so :PORT "
                    "suffices",
                    text));
  place.host = host;
  place.port = static_cast<std::uint16_t>(*port);
  return {};
}

// PALS passes ports that are free on all hosts, unless there is one host.
Result<std::uint16_t> port_of_pals(const Environment& environment) {
  const auto ports = told_by("PMI_CONTROL_PORT", environment);
  if (!ports) {
    constexpr std::uint64_t first = 20'000;  // below the ports that systems give to connections
    constexpr std::uint64_t count = 12'000;
    const auto application = told_by("PALS_APID", environment);
    const std::uint64_t hash = Hash().add(application ? application->value : "").value();
    return static_cast<std::uint16_t>(first + hash % count);
  }
  const std::string_view last = std::string_view(ports->value).substr(ports->value.rfind(',') + 1);
  const Result<std::uint64_t> port = parse_number(last, 1, 65'535);
  if (!port) return wrong(fmt::format("PMI_CONTROL_PORT={}: expected ports", ports->value));
  return static_cast<std::uint16_t>(*port);
}

const LauncherVariables* find_variables(const Environment& environment) {
  const auto* known = std::ranges::find_if(
      launcher_variables,
      [&](const LauncherVariables& variables) { return environment(variables.rank) != nullptr; });
  return known == launcher_variables.end() ? nullptr : known;
}

std::string value_of(const std::optional<Told>& told) {
  return told ? told->value : "";
}

// PALS offers no key-value space, unless another launcher in between does.
bool is_started_by_pals(const std::optional<Apinfo>& application, const Environment& environment) {
  return application && application->ranks > 1 && environment("PMI_FD") == nullptr &&
         environment("PMIX_NAMESPACE") == nullptr;
}

}  // namespace

std::string StartPlace::identity() const {
  return fmt::format("meet:{}:{}:{}", host, port, rank);
}

Result<std::optional<StartPlace>> find_start_place(const Environment& environment) {
  const auto meeting = told_by(VariableId::gondwana_meet, environment);
  if (!meeting && environment("PALS_APINFO") == nullptr) return std::optional<StartPlace>();
  const auto application = find_application(environment);
  if (!application) return application.error();
  if (!meeting && !is_started_by_pals(*application, environment))
    return std::optional<StartPlace>();
  const LauncherVariables* launcher = find_variables(environment);
  std::string host = launcher == nullptr ? "" : value_of(told_by(launcher->host, environment));
  host = *application ? (*application)->first_host : first_host(host);
  StartPlace place;
  place.secret_file = value_of(told_by(VariableId::gondwana_meet_secret, environment));
  place.secret = value_of(told_by("PMI_SHARED_SECRET", environment));
  if (meeting) {
    if (const auto read = read_meeting(meeting->value, host, place); !read) return read.error();
  } else {
    const Result<std::uint16_t> port = port_of_pals(environment);
    if (!port) return port.error();
    place.host = (*application)->nodes == 1 ? "localhost" : host;
    place.port = *port;
  }
  if (const auto read = read_numbers(environment, launcher, *application, place); !read)
    return read.error();
  return std::optional(place);
}

}  // namespace gondwana
