// Reports the APIs that programs can use.
#include <fmt/format.h>
#include <shmem.h>

#include "base/own_files.hpp"
#include "gasnet_fwd.h"
#include "report/info/sections.hpp"

#define GASNET_PAR 1  // any mode would do: only the version is read
#include "gasnet/configuration.h"

namespace gondwana::info {
namespace {

// The file of a door's library, as seen from this program; a build folder has it elsewhere.
std::string place_of(std::string_view library) {
  if (const auto file = find_own_file(library, {GONDWANA_LIBRARIES})) return file->string();
  const auto file = (own_path().parent_path() / GONDWANA_LIBRARIES / library).lexically_normal();
  return fmt::format("not installed: there is no {}", file.string());
}

}  // namespace

Section doors() {
  const std::string gasnet =
      fmt::format("{}.{}.{}", GASNET_RELEASE_VERSION_MAJOR, GASNET_RELEASE_VERSION_MINOR,
                  GASNET_RELEASE_VERSION_PATCH);
  const std::string armci = "for Global Arrays 5";
  return {"doors",
          {word("OpenSHMEM", fmt::format("{}.{}", SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION),
                place_of("libgondwana_shmem.so")),
           word("GASNet-EX", gasnet, place_of("libgondwana_gasnet.so")),
           word("GASNet-EX specification",
                fmt::format("{}.{}", GEX_SPEC_VERSION_MAJOR, GEX_SPEC_VERSION_MINOR)),
           word("ARMCI", armci, place_of("gondwana/armci/libarmci.so"))}};
}

}  // namespace gondwana::info
