// The round trip of a message with a payload between two processes: copied into the shared mapping,
// announced by a flag, copied out. Usage: payload_ping_pong [BYTES]...
#include "../common/crew.h"

#include <stdatomic.h>

enum { BATCHES = 50, LARGEST = 64 << 10 };

struct mailbox {
  _Alignas(LINE_PAIR) _Atomic uint64_t sent;
  _Alignas(LINE_PAIR) char payload[LARGEST];
};

static void send(struct mailbox* to, const char* data, size_t bytes, uint64_t number) {
  memcpy(to->payload, data, bytes);
  atomic_store_explicit(&to->sent, number, memory_order_release);
}

static void receive(struct mailbox* from, char* data, size_t bytes, uint64_t number) {
  while (atomic_load_explicit(&from->sent, memory_order_acquire) != number) continue;
  memcpy(data, from->payload, bytes);
}

static void measure(struct mailbox* box, size_t bytes) {
  char data[LARGEST] = {0};
  const uint64_t trips = bytes <= 4096 ? 1000 : 100;
  box[0].sent = box[1].sent = 0;

  const int rank = start_crew(2);
  if (rank == 1) {
    for (uint64_t i = 1; i <= BATCHES * trips; ++i) {
      receive(&box[1], data, bytes, i);
      send(&box[0], data, bytes, i);
    }
    end_crew(rank);
  }
  double* samples = new_samples(BATCHES);
  for (uint64_t batch = 0; batch < BATCHES; ++batch) {
    const int64_t start = now_ns();
    for (uint64_t i = batch * trips + 1; i <= (batch + 1) * trips; ++i) {
      send(&box[1], data, bytes, i);
      receive(&box[0], data, bytes, i);
    }
    samples[batch] = ns_per_op(now_ns() - start, trips);
  }
  end_crew(rank);
  char name[64];
  snprintf(name, sizeof name, "payload_ping_pong_%zu", bytes);
  report(name, "control", samples, BATCHES);
}

int main(int argc, char** argv) {
  static const size_t usual[] = {8, 512, 4096, 65536};
  struct mailbox* box = shared_pages(2 * sizeof *box);
  for (int i = 1; i < argc; ++i) {
    const size_t bytes = argument(argc, argv, i, 8);
    measure(box, bytes <= LARGEST ? bytes : LARGEST);
  }
  for (size_t i = 0; argc == 1 && i < sizeof usual / sizeof *usual; ++i) measure(box, usual[i]);
  return 0;
}
