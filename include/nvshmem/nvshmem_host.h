#include "nvshmem.h"
