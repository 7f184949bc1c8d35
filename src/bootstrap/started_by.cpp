#include "bootstrap/started_by.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "bootstrap/protocol.hpp"
#include "core/parse.hpp"

namespace gondwana {
namespace {

// A launcher that sets `variable` to the number of processes. Variables for a whole allocation,
// such as SLURM_NTASKS, do not describe this process.
struct KnownLauncher {
  std::string_view variable;
  std::string_view name;
  std::string_view remedy;
  std::string_view in_order;
};

constexpr std::string_view any_remedy =
    "Start the program with `gondwana run`, or set GONDWANA_MEET";
constexpr std::string_view any_order = "make it fill one host after the other";

// The first of these that is set identifies the launcher. Nested launchers come first.
constexpr std::array launchers{
    KnownLauncher{"OMPI_COMM_WORLD_SIZE", "mpirun (Open MPI)",
                  "Open MPI needs to be built with PMIx, as it is by default",
                  "use `mpirun --map-by slot`"},
    KnownLauncher{"ROLE_WORLD_SIZE", "torchrun",
                  "Pass on a unique id (in Python: gondwana.init_by_torch), or set GONDWANA_MEET",
                  any_order},
    KnownLauncher{"MPI_LOCALNRANKS", "mpiexec (Hydra)", any_remedy,
                  "use `mpiexec -ppn N`, where N is the number of ranks per host"},
    KnownLauncher{"PALS_SIZE", "mpiexec (PALS)", any_remedy,
                  "use `mpiexec --ppn N`, where N is the number of ranks per host"},
    KnownLauncher{"FLUX_JOB_SIZE", "flux run", "Use `flux run -o pmi=simple`", any_order},
    KnownLauncher{"SLURM_STEP_NUM_TASKS", "srun (Slurm)",
                  "Use `srun --mpi=pmix` or `srun --mpi=pmi2`, or set GONDWANA_MEET",
                  "use `srun -m block`"},
    KnownLauncher{"PMI_SIZE", "a launcher with PMI", any_remedy, any_order},
};

std::optional<std::uint64_t> number_in(const Environment& environment, std::string_view variable,
                                       std::uint64_t least, std::uint64_t most) {
  const char* text = environment(std::string(variable).c_str());
  if (text == nullptr) return std::nullopt;
  const Result<std::uint64_t> number = parse_number(text, least, most);
  return number ? std::optional(*number) : std::nullopt;
}

// The name of an open socket on this machine; nothing if it is not one.
std::optional<std::uint64_t> socket_inode(int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || !S_ISSOCK(status.st_mode)) return std::nullopt;
  return status.st_ino;
}

void detect_pmi1(const Environment& environment, StartedBy& by) {
  const auto socket = number_in(environment, "PMI_FD", 0, 1U << 30);
  const auto size = number_in(environment, "PMI_SIZE", 2, protocol::max_ranks);
  if (!socket || !size) return;
  const auto rank = number_in(environment, "PMI_RANK", 0, *size - 1);
  const auto inode = socket_inode(static_cast<int>(*socket));
  if (!rank || !inode) return;
  by.pmi1 = Pmi1Start{static_cast<int>(*socket), static_cast<std::uint32_t>(*rank),
                      static_cast<std::uint32_t>(*size)};
  by.identity += fmt::format("pmi1:{}", *inode);
}

void detect_pmix(const Environment& environment, StartedBy& by) {
  const char* space = environment("PMIX_NAMESPACE");
  const char* rank = environment("PMIX_RANK");
  if (space == nullptr || rank == nullptr) return;
  by.has_pmix = true;
  by.identity += fmt::format("pmix:{}:{} ", space, rank);
}

}  // namespace

StartedBy find_launcher(const Environment& environment) {
  StartedBy by{"a launcher with PMIx", any_remedy, any_order, {}, false, {}, {}};
  const auto named = std::ranges::find_if(launchers, [&](const KnownLauncher& launcher) {
    return environment(std::string(launcher.variable).c_str()) != nullptr;
  });
  if (named != launchers.end()) {
    by.launcher = named->name;
    by.remedy = named->remedy;
    by.in_order = named->in_order;
  }
  for (const KnownLauncher& launcher : launchers) {
    const auto size = number_in(environment, launcher.variable, 2, ~std::uint64_t{0});
    if (size && !by.claim) by.claim = Claim{launcher.variable, *size};
  }
  detect_pmix(environment, by);
  detect_pmi1(environment, by);
  return by;
}

}  // namespace gondwana
