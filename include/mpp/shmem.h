/* Deprecated: OpenSHMEM keeps the folder of its oldest headers. Include <shmem.h>. */
#include "../shmem.h"
