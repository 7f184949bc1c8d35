#include "gathered_texts.hpp"

#include <algorithm>
#include <cstdint>

#include "pshmem.h"

namespace gondwana::profile {
namespace {

struct Sizes {
  std::uint64_t own;
  std::uint64_t longest;
};

std::vector<std::string> read_all(const Sizes* sizes, const char* texts) {
  std::vector<std::string> found(static_cast<std::size_t>(pshmem_n_pes()));
  for (int pe = 0; pe < pshmem_n_pes(); ++pe) {
    std::string& text = found[static_cast<std::size_t>(pe)];
    text.resize(pshmem_uint64_g(&sizes->own, pe));
    pshmem_getmem(text.data(), texts, text.size(), pe);
  }
  return found;
}

}  // namespace

std::vector<std::string> gather_texts(std::string_view own) {
  auto* sizes = static_cast<Sizes*>(pshmem_malloc(sizeof(Sizes)));
  if (sizes == nullptr) return {};
  sizes->own = own.size();
  pshmem_uint64_max_reduce(SHMEM_TEAM_WORLD, &sizes->longest, &sizes->own, 1);
  std::vector<std::string> found;
  if (auto* texts = static_cast<char*>(pshmem_malloc(std::max<std::uint64_t>(sizes->longest, 1)))) {
    std::ranges::copy(own, texts);
    pshmem_barrier_all();
    if (pshmem_my_pe() == 0) found = read_all(sizes, texts);
    pshmem_free(texts);  // rank 0 has read them: shmem_free begins with a barrier
  }
  pshmem_free(sizes);
  return found;
}

}  // namespace gondwana::profile
