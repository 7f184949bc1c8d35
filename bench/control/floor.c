// The floor of a collective: n processes move its bytes and do nothing else. All of them know what
// to copy, sources never change, and no process announces that a part is ready. BYTES is the size
// of the source of one process. The processes meet after each batch and, where the ranks of the row
// must, after every second call; with "met" after each call, as an alltoall must.
// Usage: floor sum_reduce|sum_inscan|broadcast|fcollect|alltoall PROCESSES [BYTES] [met]
#include "../common/barriers.h"
#include "../common/crew.h"

enum { SAMPLES = 100, CALLS = 50, RESULTS = 2 };

static struct memory {
  struct central_barrier barrier;
  _Alignas(4096) char pages[];
}* memory;
static size_t n;
static size_t source_bytes;  // per process
static size_t result_bytes;  // per process; each has RESULTS, used alternately as in the rows

typedef void move(size_t rank, size_t turn);

static char* source_of(size_t rank) {
  return memory->pages + rank * source_bytes;
}

static char* result_of(size_t rank, size_t turn) {
  return memory->pages + n * source_bytes + (rank * RESULTS + turn) * result_bytes;
}

// Copies its block of the n sources.
static void alltoall(size_t rank, size_t turn) {
  const size_t block = source_bytes / n;
  for (size_t i = 0; i < n; ++i) {
    const size_t source = (rank + i) % n;  // start at different sources
    memcpy(result_of(rank, turn) + source * block, source_of(source) + rank * block, block);
  }
}

// All except the root copy its buffer.
static void broadcast(size_t rank, size_t turn) {
  if (rank != 0) memcpy(result_of(rank, turn), source_of(0), source_bytes);
}

// Copies the n sources, one after the other. Also the floor of collect.
static void fcollect(size_t rank, size_t turn) {
  for (size_t i = 0; i < n; ++i) {
    const size_t source = (rank + i) % n;  // start at different sources
    memcpy(result_of(rank, turn) + source * source_bytes, source_of(source), source_bytes);
  }
}

static size_t first_of(size_t rank) {
  return source_bytes / sizeof(double) * rank / n;
}

// Adds its slice of the n sources and copies the other slices of the result.
static void reduce(size_t rank, size_t turn) {
  const size_t first = first_of(rank);
  const size_t length = first_of(rank + 1) - first;
  double* restrict to = (double*)result_of(rank, turn) + first;
  memcpy(to, (double*)source_of(0) + first, length * sizeof *to);
  for (size_t source = 1; source < n; ++source) {
    const double* restrict from = (const double*)source_of(source) + first;
    for (size_t i = 0; i < length; ++i) to[i] += from[i];
  }
  for (size_t owner = 0; owner < n; ++owner) {
    if (owner != rank)
      memcpy((double*)result_of(rank, turn) + first_of(owner),
             (double*)result_of(owner, turn) + first_of(owner),
             (first_of(owner + 1) - first_of(owner)) * sizeof(double));
  }
}

// Takes its slice of all vectors, copies the first source to the first result, and adds source
// after source, with each sum in the result of the next process. So it reads and writes the volume
// of one vector each.
static void scan(size_t rank, size_t turn) {
  const size_t first = first_of(rank);
  const size_t last = first_of(rank + 1);
  memcpy((double*)result_of(0, turn) + first, (double*)source_of(0) + first,
         (last - first) * sizeof(double));
  for (size_t r = 1; r < n; ++r) {
    double* restrict to = (double*)result_of(r, turn);
    const double* restrict before = (const double*)result_of(r - 1, turn);
    const double* restrict from = (const double*)source_of(r);
    for (size_t i = first; i < last; ++i) to[i] = before[i] + from[i];
  }
}

static const struct kind {
  const char* name;
  move* move;
  int calls;  // number between meetings
} kinds[] = {{"sum_reduce", reduce, CALLS},
             {"sum_inscan", scan, RESULTS},
             {"broadcast", broadcast, RESULTS},
             {"fcollect", fcollect, CALLS},
             {"alltoall", alltoall, CALLS}};

// Prints the figure NAME_floor_N or NAME_met_floor_N.
static void time_calls(const struct kind* kind, int is_met) {
  const int calls = is_met ? 1 : kind->calls;
  const int rank = start_crew((int)n);
  double* samples = new_samples(SAMPLES);
  int64_t start = now_ns();
  for (int sample = 0; sample < SAMPLES; ++sample) {
    for (int call = 1; call <= CALLS; ++call) {
      kind->move((size_t)rank, (size_t)call % RESULTS);
      keep_results();
      if (call % calls == 0) central_wait(&memory->barrier, (uint32_t)n, usual_wait((int)n));
    }
    const int64_t end = now_ns();
    samples[sample] = ns_per_op(end - start, CALLS);
    start = end;
  }
  end_crew(rank);
  char name[64];
  snprintf(name, sizeof name, "%s%s_floor_%zu", kind->name, is_met ? "_met" : "", n);
  report(name, "control", samples, SAMPLES);
}

int main(int argc, char** argv) {
  const struct kind* kind = kinds;
  const struct kind* const end = kinds + sizeof kinds / sizeof *kinds;
  while (kind < end && (argc < 2 || strcmp(kind->name, argv[1]) != 0)) ++kind;
  require(kind != end, "there is no such collective here");
  n = argument(argc, argv, 2, 2);
  source_bytes = argument(argc, argv, 3, 64 << 10);
  result_bytes = kind->move == fcollect ? n * source_bytes : source_bytes;
  const size_t bytes = n * (source_bytes + RESULTS * result_bytes);
  memory = shared_pages(sizeof *memory + bytes);
  memset(memory->pages, 0, bytes);
  time_calls(kind, argc > 4);
  return 0;
}
