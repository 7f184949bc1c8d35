#include "report/bench/peer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is of POSIX

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "report/bench/output_of.hpp"

namespace gondwana::bench {
namespace {

// Settings that Open MPI needs as root and with more ranks than processors, unless the user has set
// them. Debian's Open MPI crashes in OpenSHMEM programs with its component rdma.
void set_open_mpi_variables() {
  constexpr std::array<std::array<const char*, 2>, 5> variables{{
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"OMPI_MCA_hwloc_base_binding_policy", "none"},
      {"OMPI_MCA_osc", "^rdma"},
  }};
  for (const auto& [name, value] : variables) ::setenv(name, value, 0);
}

// Replaces {} in the words: a word {} by all values, {} within a word by the values in one text.
std::vector<std::string> fill_in(const std::vector<std::string>& words,
                                 const std::vector<std::string>& values) {
  std::vector<std::string> filled;
  for (const std::string& word : words) {
    const std::size_t place = word.find("{}");
    if (word == "{}") {
      filled.insert(filled.end(), values.begin(), values.end());
    } else if (place == std::string::npos) {
      filled.push_back(word);
    } else {
      filled.push_back(fmt::format("{}{}{}", word.substr(0, place), fmt::join(values, " "),
                                   word.substr(place + 2)));
    }
  }
  return filled;
}

Peer shmem_library(std::string key, std::string compiler, std::string launcher) {
  return {.key = std::move(key),
          .compiler = {std::move(compiler), "{}"},
          .launcher = {launcher, "-n", "{}"},
          .hosts_option = "--host",
          .version_words = {launcher, "--version"}};
}

// GASNet-EX installs a fragment of a makefile for each of its libraries.
Result<Peer> gasnet_in(const std::string& folder) {
  const std::string fragment = folder + "/include/smp-conduit/smp-seq.mak";
  std::error_code failure;
  if (!std::filesystem::exists(fragment, failure))
    return Error{Errc::invalid_argument,
                 fmt::format("--peer gasnet={}: there is no {}; expected the folder in which "
                             "GASNet-EX is installed, with its conduit smp",
                             folder, fragment)};
  return Peer{.key = "gasnet-smp",
              .door = Door::gasnetex,
              .definition = "-DDOOR_GASNET",
              .compiler = {"make", "-s", "-f", fragment,
                           "--eval=measure: ; $(GASNET_CC) $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) "
                           "$(WORDS) $(GASNET_LDFLAGS) $(GASNET_LIBS)",
                           "WORDS={}", "measure"},
              .launcher = {"env", "GASNET_PSHM_NODES={}"},
              .version_words = {"echo", fmt::format("GASNet-EX smp in {}", folder)}};
}

}  // namespace

bool Peer::has_program(std::string_view program) const {
  return programs.empty() || std::ranges::find(programs, program) != programs.end();
}

Result<Peer> parse_peer(std::string_view text) {
  std::string compiler;
  std::string launcher;
  std::string sos;
  std::string gasnet;
  bool is_clear = true;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::string_view path = part.substr(part.find('=') + 1);
    if (part.starts_with("oshcc="))
      compiler = path;
    else if (part.starts_with("oshrun="))
      launcher = path;
    else if (part.starts_with("sos="))
      sos = path;
    else if (part.starts_with("gasnet="))
      gasnet = path;
    else
      is_clear = false;
  }
  const int given = (compiler.empty() ? 0 : 1) + (sos.empty() ? 0 : 1) + (gasnet.empty() ? 0 : 1);
  if (is_clear && given == 1 && compiler.empty() == launcher.empty()) {
    if (!gasnet.empty()) return gasnet_in(gasnet);
    if (!sos.empty()) return shmem_library("sos", sos + "/bin/oshcc", sos + "/bin/oshrun");
    return shmem_library("peer", compiler, launcher);
  }
  return Error{Errc::invalid_argument,
               fmt::format("--peer \"{}\": expected its compiler and launcher, such as "
                           "oshcc=/usr/bin/oshcc,oshrun=/usr/bin/oshrun, or the folder in which it "
                           "is installed: sos=DIR, gasnet=DIR",
                           text)};
}

std::string name_of(const Peer& peer) {
  const Result<std::string> version = output_of(peer.version_words);
  const std::string line = version ? version->substr(0, version->find('\n')) : "";
  return line.empty() ? peer.launcher.front() : line;
}

Result<PeerPrograms> PeerPrograms::prepare(std::string sources) {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  set_open_mpi_variables();
  return PeerPrograms(std::move(sources), *std::move(folder));
}

Result<std::string> PeerPrograms::program(const Peer& peer, std::string_view name) const {
  const std::string folder = fmt::format("{}/{}", folder_.path(), peer.key);
  std::string path = fmt::format("{}/{}", folder, name);
  std::error_code failure;
  if (std::filesystem::exists(path, failure)) return path;
  std::filesystem::create_directory(folder, failure);
  // A program of several doors has one source: transfers_gasnet is transfers.c.
  std::string source = fmt::format("{}/user/{}.c", sources_, name);
  if (!std::filesystem::exists(source, failure))
    source = fmt::format("{}/user/{}.c", sources_, name.substr(0, name.rfind('_')));
  std::vector<std::string> words{"-std=gnu11", "-O2", "-o", path};
  if (!peer.definition.empty()) words.push_back(peer.definition);
  words.push_back(source);
  const Result<std::string> compiled = output_of(fill_in(peer.compiler, words));
  if (!compiled) return compiled.error();
  return path;
}

std::vector<std::string> job_of(const Peer& peer, const std::string& program, std::uint32_t ranks,
                                const std::string& hosts) {
  std::vector<std::string> words = fill_in(peer.launcher, {fmt::to_string(ranks)});
  if (!hosts.empty()) words.insert(words.end(), {peer.hosts_option, hosts});
  words.push_back(program);
  return words;
}

}  // namespace gondwana::bench
