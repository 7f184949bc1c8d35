// A TCP connection between processes on one machine, and messages over it through polled
// nonblocking sockets.
#ifndef GONDWANA_BENCH_TCP_H_
#define GONDWANA_BENCH_TCP_H_

#include "measure.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static inline int listen_here(struct sockaddr_in* at) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  socklen_t size = sizeof *at;
  *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr*)at, size) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, (struct sockaddr*)at, &size) != 0)
    fail_with_errno("listen");
  return listener;
}

static inline int without_delay(int peer) {
  const int yes = 1;
  if (peer < 0 || setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0)
    fail_with_errno("connection");
  return peer;
}

static inline int accept_one(int listener) {
  return without_delay(accept(listener, NULL, NULL));
}

static inline int connect_to(const struct sockaddr_in* at) {
  const int peer = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(peer, (const struct sockaddr*)at, sizeof *at) != 0) fail_with_errno("connect");
  return without_delay(peer);
}

// Polls again while no byte has arrived; yields the processor after every `looks_per_yield` polls.
static inline void look_again(unsigned looks, unsigned looks_per_yield) {
  if (errno != EAGAIN) fail_with_errno("connection");
  if (looks % looks_per_yield == looks_per_yield - 1) sched_yield();
}

enum { LOOKS_PER_YIELD = 1024 };

static inline void send_all(int peer, const char* bytes, size_t size) {
  for (unsigned looks = 0; size > 0; ++looks) {
    const ssize_t sent = send(peer, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
      look_again(looks, LOOKS_PER_YIELD);
      continue;
    }
    bytes += sent;
    size -= (size_t)sent;
  }
}

// `looks_per_yield`: 1 if other processes need the processor.
static inline void receive_yielding(int peer, char* bytes, size_t size, unsigned looks_per_yield) {
  for (unsigned looks = 0; size > 0; ++looks) {
    const ssize_t received = recv(peer, bytes, size, MSG_DONTWAIT);
    if (received == 0) {
      errno = ECONNRESET;
      fail_with_errno("connection");
    }
    if (received < 0) {
      look_again(looks, looks_per_yield);
      continue;
    }
    bytes += received;
    size -= (size_t)received;
  }
}

static inline void receive_all(int peer, char* bytes, size_t size) {
  receive_yielding(peer, bytes, size, LOOKS_PER_YIELD);
}

#endif
