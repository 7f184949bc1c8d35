// The cost of an idle job: the processor time of all its processes, in nanoseconds per second,
// while its ranks are in sleep(). Launcher and agents count: all descendants of the first ancestor
// of rank 0 whose name begins with the name of the launcher. Usage: network_idle
#include "../common/shmem_job.h"

#include <ctype.h>
#include <dirent.h>
#include <unistd.h>

enum { MOST = 4096, PATH = 64, SECONDS = 5 };

struct process {
  int id;
  int parent;
  char name[32];
  double ns;  // processor time used
};

static struct process processes[MOST];

// The second field of stat may contain any characters between its brackets.
static int read_process(int id, struct process* process) {
  char path[PATH];
  char line[1024];
  unsigned long user = 0;
  unsigned long system = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", id);
  FILE* file = fopen(path, "r");
  if (file == NULL) return 0;
  const char* read = fgets(line, sizeof line, file);
  fclose(file);
  char* open = read != NULL ? strchr(line, '(') : NULL;
  char* close = open != NULL ? strrchr(open, ')') : NULL;
  if (close == NULL) return 0;
  *close = '\0';
  process->id = id;
  snprintf(process->name, sizeof process->name, "%s", open + 1);
  if (sscanf(close + 2, "%*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &process->parent,
             &user, &system) != 3)
    return 0;
  process->ns = (double)(user + system) * 1e9 / (double)sysconf(_SC_CLK_TCK);
  return 1;
}

static size_t read_processes(void) {
  size_t count = 0;
  DIR* folder = opendir("/proc");
  if (folder == NULL) return 0;
  for (struct dirent* entry; (entry = readdir(folder)) != NULL && count < MOST;)
    if (isdigit((unsigned char)entry->d_name[0]))
      count += (size_t)read_process(atoi(entry->d_name), &processes[count]);
  closedir(folder);
  return count;
}

static const struct process* find(size_t count, int id) {
  for (size_t i = 0; i < count; ++i)
    if (processes[i].id == id) return &processes[i];
  return NULL;
}

// The outermost launcher above this process, or the process itself.
static int find_root(size_t count) {
  int root = getpid();
  for (const struct process* at = find(count, root); at != NULL; at = find(count, at->parent))
    if (strncmp(at->name, "gondwana", 8) == 0 || strncmp(at->name, "orte", 4) == 0 ||
        strcmp(at->name, "mpirun") == 0 || strcmp(at->name, "oshrun") == 0)
      root = at->id;
  return root;
}

static int descends_from(size_t count, const struct process* process, int root) {
  while (process != NULL && process->id != root) process = find(count, process->parent);
  return process != NULL;
}

static double time_of_job(void) {
  const size_t count = read_processes();
  const int root = find_root(count);
  double ns = 0;
  for (size_t i = 0; i < count; ++i)
    if (descends_from(count, &processes[i], root)) ns += processes[i].ns;
  return ns;
}

int main(void) {
  start_shmem();
  long* word = allocate_symmetric(sizeof *word);
  shmem_long_p(word, 1, (me + 1) % ranks);  // creates the connections
  shmem_barrier_all();
  double* sample = new_samples(1);
  sleep(1);  // a rank that has just worked may still be polling
  const double before = me == 0 ? time_of_job() : 0;
  sleep(SECONDS);
  if (me == 0) sample[0] = (time_of_job() - before) / SECONDS;
  shmem_barrier_all();
  report_ours(me == 0, sample, 1, "network_idle");
  end_shmem();
}
