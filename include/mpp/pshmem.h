/* Deprecated: OpenSHMEM keeps the folder of its oldest headers. Include <pshmem.h>. */
#include "../pshmem.h"
