/* Deprecated: OpenSHMEM keeps the folder of its oldest headers. Include <shmemx.h>. */
#include "../shmemx.h"
