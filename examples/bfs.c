// A breadth-first search in a random graph that is distributed over all ranks. Each rank marks the
// neighbours of its vertices with puts of one byte; several ranks may mark the same vertex. A
// barrier completes the marks of a level.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "clock.h"
#include "random.h"

enum { most_levels = 64, unreached = -1 };

// A graph that every rank can compute: vertex v has `degree` edges to pseudo-random vertices.
// Vertex v is number v / ranks on rank v % ranks.
struct graph {
  uint64_t vertices;
  int degree;
};

static long new_here;  // of a reduction; symmetric because they are global
static long new_everywhere;

static uint64_t neighbour(const struct graph* graph, uint64_t vertex, int edge) {
  uint64_t state = random_seed((int)(vertex * (uint64_t)graph->degree + (uint64_t)edge));
  return next_random(&state) % graph->vertices;
}

// Marks all neighbours of the vertices of this rank that are on `level`.
static void mark_next(const struct graph* graph, const signed char* levels, unsigned char* marks,
                      uint64_t mine, int level) {
  const uint64_t ranks = (uint64_t)shmem_n_pes();
  for (uint64_t i = 0; i < mine; ++i) {
    if (levels[i] != level) continue;
    for (int edge = 0; edge < graph->degree; ++edge) {
      const uint64_t next = neighbour(graph, i * ranks + (uint64_t)shmem_my_pe(), edge);
      shmem_uchar_p(&marks[next / ranks], 1, (int)(next % ranks));
    }
  }
  shmem_barrier_all();
}

// Assigns the level to marked vertices. Returns how many there are on all ranks.
static long enter(signed char* levels, const unsigned char* marks, uint64_t mine, int level) {
  new_here = 0;
  for (uint64_t i = 0; i < mine; ++i) {
    if (marks[i] == 0 || levels[i] != unreached) continue;
    levels[i] = (signed char)level;
    ++new_here;
  }
  shmem_sum_reduce(SHMEM_TEAM_WORLD, &new_everywhere, &new_here, 1);
  return new_everywhere;
}

// Returns the number of levels and how many vertices each has.
static int search(const struct graph* graph, signed char* levels, unsigned char* marks,
                  uint64_t mine, long* count) {
  if (shmem_my_pe() == 0) marks[0] = 1;  // the search starts at vertex 0
  int level = 0;
  for (; level < most_levels; ++level) {
    count[level] = enter(levels, marks, mine, level);
    if (count[level] == 0) break;
    mark_next(graph, levels, marks, mine, level);
  }
  return level;
}

// The same by one rank alone, with a queue. Returns false if a level has another number of
// vertices.
static int agrees(const struct graph* graph, const long* count, int levels) {
  signed char* level = malloc(graph->vertices);
  uint64_t* queue = malloc(graph->vertices * sizeof *queue);
  if (level == NULL || queue == NULL) shmem_global_exit(2);
  memset(level, unreached, graph->vertices);
  long found[most_levels + 1] = {0};
  uint64_t end = 0;
  level[0] = 0;
  queue[end++] = 0;
  for (uint64_t at = 0; at < end; ++at) {
    const signed char depth = level[queue[at]];
    ++found[depth];
    for (int edge = 0; edge < graph->degree && depth < most_levels - 1; ++edge) {
      const uint64_t next = neighbour(graph, queue[at], edge);
      if (level[next] != unreached) continue;
      level[next] = (signed char)(depth + 1);
      queue[end++] = next;
    }
  }
  free(queue);
  free(level);
  return memcmp(found, count, (size_t)levels * sizeof *count) == 0 && found[levels] == 0;
}

int main(int argc, char** argv) {
  shmem_init();
  enum { VERTICES, DEGREE, ROWS };
  struct argument arguments[ROWS] = {
      [VERTICES] = {"--vertices", "vertices of the graph", WHOLE_NUMBER, .low = 1, .high = 1e9,
                    .number = 2e5},
      [DEGREE] = {"--degree", "edges from each vertex", WHOLE_NUMBER, .low = 1, .high = 1000,
                  .number = 8},
  };
  read_arguments("bfs: breadth-first search in a random graph", arguments, ROWS, argc, argv);
  const uint64_t ranks = (uint64_t)shmem_n_pes();
  const uint64_t me = (uint64_t)shmem_my_pe();
  const struct graph graph = {(uint64_t)arguments[VERTICES].number, (int)arguments[DEGREE].number};
  const uint64_t most = graph.vertices / ranks + 1;
  const uint64_t mine = graph.vertices / ranks + (me < graph.vertices % ranks ? 1 : 0);

  unsigned char* marks = shmem_calloc(most, 1);
  signed char* levels = malloc(most);
  if (marks == NULL) refuse(argv[0], "--vertices", "the symmetric heap has no room for the marks");
  if (levels == NULL) shmem_global_exit(2);
  memset(levels, unreached, most);
  shmem_barrier_all();

  long count[most_levels + 1] = {0};
  const double start = seconds();
  const int depth = search(&graph, levels, marks, mine, count);
  const double elapsed = seconds() - start;

  int good = 1;
  if (me == 0) {
    long reached = 0;
    for (int level = 0; level < depth; ++level) reached += count[level];
    good = agrees(&graph, count, depth);
    printf("bfs: %d ranks, %ld of %llu vertices reached in %d levels, %.3f s, %.1f ns an edge\n",
           (int)ranks, reached, (unsigned long long)graph.vertices, depth, elapsed,
           1e9 * elapsed / ((double)reached * graph.degree));
    printf("bfs: compared with a search by one rank: %s\n", good ? "correct" : "WRONG");
  }
  free(levels);
  shmem_free(marks);
  shmem_finalize();
  return good ? 0 : 1;
}
