// TCP sockets between two processes on 127.0.0.1, without a library: the round trip of a word with
// both sides polling, and a stream of pieces, acknowledged by one byte at the end. Usage: tcp
#include "../common/tcp.h"
#include "../common/crew.h"

enum { WARM_UP = 500, TRIPS = 3000, LARGEST = 16 << 20 };

static void ping_pong(int peer, int rank) {
  char word[8] = {0};
  double* samples = new_samples(TRIPS);
  for (int i = -WARM_UP; i < TRIPS; ++i) {
    const int64_t start = now_ns();
    if (rank == 0) send_all(peer, word, sizeof word);
    receive_all(peer, word, sizeof word);
    if (rank == 1) send_all(peer, word, sizeof word);
    if (i >= 0) samples[i] = (double)(now_ns() - start);
  }
  if (rank == 0)
    report("tcp_ping_pong", "control", samples, TRIPS);
  else
    free(samples);
}

// Blocking calls suffice: a stream keeps both ends busy.
static void stream_piece(int peer, int rank, char* piece, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    const ssize_t moved =
        rank == 0 ? send(peer, piece + at, bytes - at, 0) : recv(peer, piece + at, bytes - at, 0);
    if (moved <= 0) fail_with_errno("stream");
    at += (size_t)moved;
  }
}

static void stream(int peer, int rank, char* piece, size_t bytes) {
  enum { BATCHES = 30, PER_BATCH = 16 << 20 };
  const size_t pieces = PER_BATCH / bytes;
  char received = 0;
  double* samples = new_samples(BATCHES);
  for (int i = 0; i < BATCHES; ++i) {
    const int64_t start = now_ns();
    for (size_t j = 0; j < pieces; ++j) stream_piece(peer, rank, piece, bytes);
    if (rank == 0)
      receive_all(peer, &received, 1);
    else
      send_all(peer, &received, 1);
    samples[i] = ns_per_op(now_ns() - start, pieces);
  }
  char name[64];
  snprintf(name, sizeof name, "tcp_stream_%zu", bytes);
  if (rank == 0)
    report(name, "control", samples, BATCHES);
  else
    free(samples);
}

int main(void) {
  static const size_t sizes[] = {64 << 10, 128 << 10, 1 << 20, LARGEST};
  struct sockaddr_in at;
  const int listener = listen_here(&at);
  const int rank = start_crew(2);
  const int peer = rank == 0 ? accept_one(listener) : connect_to(&at);
  char* piece = malloc(LARGEST);
  if (piece == NULL) fail_with_errno("memory");
  memset(piece, 1, LARGEST);
  ping_pong(peer, rank);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) stream(peer, rank, piece, sizes[i]);
  free(piece);
  end_crew(rank);
  return 0;
}
