// The nodes of a cluster, and mirrored arrays. Every node has a copy of a mirrored array. An array
// on a single node is not mirrored.
#include "check.h"

enum { rows = 24, columns = 10, cells = rows * columns };

static void expect_nodes(void) {
  const int nodes = GA_Cluster_nnodes();
  const int my_node = GA_Cluster_nodeid();
  int count = 0;
  expect(nodes >= 1 && nodes <= ranks, 1, "GA_Cluster_nnodes in range", nodes);
  expect(my_node >= 0 && my_node < nodes, 1, "GA_Cluster_nodeid in range", my_node);
  for (int node = 0; node < nodes; ++node) {
    for (int i = 0; i < GA_Cluster_nprocs(node); ++i) {
      expect(GA_Cluster_procid(node, i), count, "GA_Cluster_procid", i);
      expect(GA_Cluster_proc_nodeid(count), node, "GA_Cluster_proc_nodeid", count);
      ++count;
    }
  }
  expect(count, ranks, "ranks of all nodes", nodes);
  expect(GA_Cluster_proc_nodeid(me), my_node, "node of this rank", me);
}

// A node of Global Arrays has no more ranks than share memory by the count of MPI.
static void expect_shared_memory(void) {
  MPI_Comm node;
  int size = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &size);
  expect(GA_Cluster_nprocs(GA_Cluster_nodeid()) <= size, 1, "ranks of a node share memory", size);
  MPI_Comm_free(&node);
}

static void expect_all(int array, double factor, const char* what) {
  static double found[cells];
  int lo[2] = {0, 0};
  int hi[2] = {rows - 1, columns - 1};
  int ld[1] = {columns};
  NGA_Get(array, lo, hi, found, ld);
  for (int i = 0; i < cells; ++i) expect_near(found[i], factor * (i + 1), 0, what, i);
  GA_Sync();
}

// The ranks of each node put all rows to the copy of their node. Copies differ by the factor.
static void put_rows(int array, double factor) {
  const int node = GA_Cluster_nodeid();
  const int members = GA_Cluster_nprocs(node);
  for (int row = me - GA_Cluster_procid(node, 0); row < rows; row += members) {
    double values[columns];
    int lo[2] = {row, 0};
    int hi[2] = {row, columns - 1};
    int ld[1] = {columns};
    for (int i = 0; i < columns; ++i) values[i] = factor * (row * columns + i + 1);
    NGA_Put(array, lo, hi, values, ld);
  }
  GA_Sync();
}

static void mirror(void) {
  const int nodes = GA_Cluster_nnodes();
  const int node = GA_Cluster_nodeid();
  int dims[2] = {rows, columns};
  const int mirrored = NGA_Create_config(C_DBL, 2, dims, "mirrored", NULL, GA_Pgroup_get_mirror());
  const int plain = NGA_Create(C_DBL, 2, dims, "plain", NULL);
  expect(GA_Is_mirrored(mirrored), nodes > 1, "GA_Is_mirrored of a mirrored array", nodes);
  expect(GA_Is_mirrored(plain), 0, "GA_Is_mirrored of a plain array", 0);
  put_rows(mirrored, node + 1);
  expect_all(mirrored, node + 1, "copy of this node");
  GA_Merge_mirrored(mirrored);
  const int sum = nodes * (nodes + 1) / 2;
  expect_all(mirrored, sum, "GA_Merge_mirrored");
  GA_Copy(mirrored, plain);
  expect_all(plain, sum, "GA_Copy of a mirrored array");
  GA_Zero(mirrored);
  GA_Copy(plain, mirrored);
  expect_all(mirrored, sum, "GA_Copy to a mirrored array");
  GA_Destroy(plain);
  GA_Destroy(mirrored);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  expect_nodes();
  expect_shared_memory();
  mirror();
  return finish();
}
