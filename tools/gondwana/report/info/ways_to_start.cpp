#include <fmt/format.h>

#include <cstdlib>

#include "bootstrap/join_foreign.hpp"
#include "bootstrap/pmix/client.hpp"
#include "bootstrap/started_by.hpp"
#include "bootstrap/unique_id/start_place.hpp"
#include "report/info/sections.hpp"

namespace gondwana::info {
namespace {

Fact pmix(const Result<PmixLibrary>& library) {
  constexpr std::string_view name = "PMIx (mpirun, srun)";
  if (!library) return yes_or_no(name, false, library.error().text);
  return yes_or_no(name, true, fmt::format("{}, {}", library->version, library->path));
}

// The launcher that started this command would start programs in the same way.
Fact started_by(const Result<PmixLibrary>& library, Report& report) {
  const StartedBy by = find_launcher(own_environment());
  constexpr std::string_view name = "this process";
  const auto place = find_start_place(own_environment());
  if (!place) report.problems.push_back(place.error().text);
  if (place && *place)
    return word(name, fmt::format("rank {} of {}, which meet at port {} of {}", (*place)->rank,
                                  (*place)->size, (*place)->port, (*place)->host));
  if (!by.claim && !by.has_pmix && !by.pmi1) return word(name, "not started by another launcher");
  if (by.claim && !by.has_pmix && !by.pmi1)
    report.problems.push_back(no_bootstrap(by).text);
  else if (by.claim && !by.pmi1 && !library)
    report.problems.push_back(out_of_reach(by, library.error()).text);
  return word(name, fmt::format("started by {}", by.launcher));
}

}  // namespace

Section ways_to_start(Report& report) {
  const Result<PmixLibrary> library = find_pmix_library();
  return {"ways to start",
          {yes_or_no("gondwana run", true), pmix(library),
           yes_or_no("PMI-1 (mpiexec.hydra)", true, "part of the library"),
           started_by(library, report)}};
}

}  // namespace gondwana::info
