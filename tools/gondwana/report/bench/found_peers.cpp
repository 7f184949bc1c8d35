#include "report/bench/found_peers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "base/program_path.hpp"
#include "report/bench/output_of.hpp"

namespace gondwana::bench {
namespace {

// An implementation of MPI, and the command that only it has.
struct Mpi {
  std::string_view key;
  std::string_view name;
  std::string_view mark;
  std::string_view suffix;  // of its commands if another implementation is installed, too
  std::string_view hosts_option;
  bool has_shmem;
};

constexpr Mpi open_mpi{"ompi", "Open MPI", "ompi_info", "openmpi", "--host", true};
constexpr Mpi mpich{"mpich", "MPICH", "mpichversion", "mpich", "-hosts", false};

// A command next to `mark`, with the suffix if there is one.
std::optional<std::string> beside(const std::string& mark, std::string_view command,
                                  std::string_view suffix) {
  const std::string folder = mark.substr(0, mark.rfind('/'));
  for (std::string path :
       {fmt::format("{}/{}.{}", folder, command, suffix), fmt::format("{}/{}", folder, command)})
    if (::access(path.c_str(), X_OK) == 0) return path;
  return std::nullopt;
}

// Whether the compiler finds what the words name.
bool compiles(const std::string& compiler, std::string_view header, std::string_view library) {
  std::string program = fmt::format(
      "printf '#include <{}>\\nint main(void) {{ return 0; }}\\n' | "
      "'{}' -x c -o /dev/null - {} 2>/dev/null",
      header, compiler, library);
  return static_cast<bool>(output_of({"sh", "-c", std::move(program)}));
}

// "Open MPI 4.1.4, MPI RMA"
std::vector<std::string> version_words(const Mpi& mpi, const std::string& launcher,
                                       std::string_view what) {
  return {"sh", "-c",
          fmt::format("echo \"{} $('{}' --version | grep -om1 '[0-9][0-9.]*[0-9]'), {}\"", mpi.name,
                      launcher, what)};
}

void add_mpi(const Mpi& mpi, std::vector<Peer>& peers) {
  const Result<std::string> mark = find_program(std::string(mpi.mark), "");
  if (!mark) return;
  const std::optional<std::string> compiler = beside(*mark, "mpicc", mpi.suffix);
  const std::optional<std::string> launcher = beside(*mark, "mpiexec", mpi.suffix);
  if (!compiler || !launcher) return;
  const auto peer = [&](std::string_view what, std::string_view calls, const std::string& with) {
    return Peer{.key = fmt::format("{}-{}", mpi.key, what),
                .compiler = {with, "{}"},
                .launcher = {*launcher, "-n", "{}"},
                .hosts_option = std::string(mpi.hosts_option),
                .version_words = version_words(mpi, *launcher, calls)};
  };
  const auto oshcc = mpi.has_shmem ? beside(*mark, "oshcc", mpi.suffix) : std::nullopt;
  if (oshcc && compiles(*oshcc, "shmem.h", "")) peers.push_back(peer("shmem", "OpenSHMEM", *oshcc));
  if (!compiles(*compiler, "mpi.h", "")) return;
  Peer& rma = peers.emplace_back(peer("rma", "MPI RMA", *compiler));
  rma.definition = "-DDOOR_MPI";
  rma.programs = {"transfers", "collectives"};
  const std::string library = fmt::format("-larmci-{}", mpi.suffix);
  if (!compiles(*compiler, "armcix.h", library)) return;
  Peer& armci = peers.emplace_back(peer("armci", "ARMCI-MPI", *compiler));
  armci.door = Door::armci;
  armci.definition = "-DDOOR_ARMCI_MPI";
  armci.compiler.push_back(library);
}

}  // namespace

std::vector<Peer> find_peers() {
  std::vector<Peer> peers;
  for (const Mpi* mpi : {&open_mpi, &mpich}) add_mpi(*mpi, peers);
  return peers;
}

}  // namespace gondwana::bench
