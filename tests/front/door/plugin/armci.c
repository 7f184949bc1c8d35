#include <armci.h>
#include <message.h>

int work(int finalizes);

int work(int finalizes) {
  if (ARMCI_Init() != 0) return 0;
  int sum = 1;
  char operation[] = "+";
  armci_msg_igop(&sum, 1, operation);
  const int good = sum == armci_msg_nproc();
  if (finalizes) ARMCI_Finalize();
  return good;
}
