// Clients look for this header in the folder of a conduit, and some include it.
#include "../gasnetex.h"
