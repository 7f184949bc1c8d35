/* host HOW PLUGIN...: a program that knows nothing of the library. It loads each plugin, lets it
   work, to "finalize" or to "leave" that to the end of the process, and unloads it. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { right = 55 };

static int use(const char* plugin, int finalizes) {
  void* loaded = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
  if (loaded == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  int (*work)(int) = NULL;
  *(void**)&work = dlsym(loaded, "work");
  if (work == NULL || !work(finalizes)) return 3;
  return dlclose(loaded) == 0 ? 0 : 4;
}

int main(int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    const int status = use(argv[i], strcmp(argv[1], "finalize") == 0);
    if (status != 0) return status;
  }
  return right;
}
