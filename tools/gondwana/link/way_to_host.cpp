#include "link/way_to_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/own_files.hpp"
#include "base/program_path.hpp"
#include "base/quote.hpp"
#include "core/host_name.hpp"
#include "core/variables.hpp"

namespace gondwana::link {
namespace {

constexpr std::uint32_t min_start_s = 20;

std::string remote_path() {
  const Setting path = own_setting(VariableId::gondwana_remote_path);
  return path.value.empty() || path.value == "auto" ? own_path().string() : std::string(path.value);
}

std::vector<std::string> ssh_words() {
  const Setting ssh = own_setting(VariableId::gondwana_ssh);
  std::istringstream words(ssh.value == "auto" ? "" : std::string(ssh.value));
  std::vector<std::string> result;
  for (std::string word; words >> word;) result.push_back(word);
  if (result.empty()) result.emplace_back("ssh");
  return result;
}

bool uses_srun(const Host& host) {
  return host.way == Way::srun && own_setting(VariableId::gondwana_ssh).value == "auto" &&
         static_cast<bool>(find_program("srun", ""));
}

// --overlap shares all processors with other steps of the allocation. --unbuffered is needed
// because srun would hold back output that does not end with a newline.
std::vector<std::string> srun_command(const Host& host) {
  std::vector<std::string> words{"srun", "-Q", "-u", "-N1", "-n1", "--overlap"};
  for (const char* option : {"--mpi=none", "--cpu-bind=none", "--export=ALL"})
    words.emplace_back(option);
  if (host.slurm_job != 0) words.push_back(fmt::format("--jobid={}", host.slurm_job));
  words.insert(words.end(), {"-w", host.name, remote_path()});
  return words;
}

// `terminal`: "-T" for no terminal, "-t" for one.
std::vector<std::string> ssh_command(const Host& host, std::uint32_t peer_timeout_s,
                                     const char* terminal) {
  std::vector<std::string> words = ssh_words();
  // ControlMaster: a connection that others may share must not end with this job.
  for (const char* option : {terminal, "-oBatchMode=yes", "-oControlMaster=no"})
    words.emplace_back(option);
  if (peer_timeout_s != 0) {
    words.push_back(fmt::format("-oConnectTimeout={}", start_limit_s(peer_timeout_s) - 2));
    words.push_back(fmt::format("-oServerAliveInterval={}", peer_timeout_s));
  }
  words.insert(words.end(), {"--", host.name, quote(remote_path())});
  return words;
}

}  // namespace

bool is_this_host(const std::string& name) {
  const std::string own = host_name().data();
  const auto is_short_for = [](const std::string& host, const std::string& whole) {
    return !host.empty() && whole.starts_with(host + '.');
  };
  return name == "localhost" || name == own || is_short_for(name, own) || is_short_for(own, name);
}

std::vector<std::string> remote_command(const Host& host, std::uint32_t peer_timeout_s,
                                        const std::vector<std::string>& words) {
  std::vector<std::string> all = is_this_host(host.name) ? std::vector<std::string>{own_path()}
                                 : uses_srun(host)       ? srun_command(host)
                                                         : ssh_command(host, peer_timeout_s, "-T");
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

std::vector<std::string> remote_terminal_command(const Host& host,
                                                 const std::vector<std::string>& words) {
  std::vector<std::string> all =
      is_this_host(host.name) ? std::vector<std::string>{own_path()} : ssh_command(host, 0, "-t");
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

const char* transport_name(const Host& host) {
  if (is_this_host(host.name)) return "its launcher";
  return uses_srun(host) ? "srun" : "ssh";
}

bool leads_by_ssh(const Host& host) {
  return !is_this_host(host.name) && !uses_srun(host);
}

std::uint32_t start_limit_s(std::uint32_t peer_timeout_s) {
  return std::max(peer_timeout_s + 2, min_start_s);
}

std::string one_line(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
    text.pop_back();
  std::erase(text, '\r');
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
    text.replace(at, 1, " / ");
  return text;
}

}  // namespace gondwana::link
