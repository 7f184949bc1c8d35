#include "front/nvshmem/waiting.hpp"

#include <string>

#include "front/nvshmem/say.hpp"

namespace gondwana::nvshmem {

int comparison(int cmp) {
  switch (cmp) {
    case NVSHMEM_CMP_EQ:
      return SHMEM_CMP_EQ;
    case NVSHMEM_CMP_NE:
      return SHMEM_CMP_NE;
    case NVSHMEM_CMP_GT:
      return SHMEM_CMP_GT;
    case NVSHMEM_CMP_LE:
      return SHMEM_CMP_LE;
    case NVSHMEM_CMP_LT:
      return SHMEM_CMP_LT;
    case NVSHMEM_CMP_GE:
      return SHMEM_CMP_GE;
    default:
      break;
  }
  give_up("NVSHMEM_CMP", "comparison " + std::to_string(cmp) + ": expected one of NVSHMEM_CMP_*");
}

int sig_op(int op) {
  if (op == NVSHMEM_SIGNAL_SET) return SHMEM_SIGNAL_SET;
  if (op == NVSHMEM_SIGNAL_ADD) return SHMEM_SIGNAL_ADD;
  give_up("NVSHMEM_SIGNAL", "signal operation " + std::to_string(op) +
                                ": expected NVSHMEM_SIGNAL_SET or NVSHMEM_SIGNAL_ADD");
}

void signal_update(std::uint64_t* word, std::uint64_t value, int op, int pe) {
  if (sig_op(op) == SHMEM_SIGNAL_SET)
    shmem_signal_set(word, value, pe);
  else
    shmem_signal_add(word, value, pe);
}

}  // namespace gondwana::nvshmem
