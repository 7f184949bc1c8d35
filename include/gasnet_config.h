// GASNet on Gondwana: the file that clients look for to learn where GASNet is installed, and read
// with tools that know no C. What a program learns of the library: gasnet/configuration.h.
#ifndef GONDWANA_GASNET_CONFIG_H
#define GONDWANA_GASNET_CONFIG_H

#define GASNETI_RELEASE_VERSION_MAJOR 2025
#define GASNETI_RELEASE_VERSION_MINOR 8
#define GASNETI_RELEASE_VERSION_PATCH 0
#define GASNETI_SPEC_VERSION_MAJOR 1
#define GASNETI_SPEC_VERSION_MINOR 8
#define GASNETI_EX_SPEC_VERSION_MAJOR 0
#define GASNETI_EX_SPEC_VERSION_MINOR 19
#define GASNETI_TOOLS_SPEC_VERSION_MAJOR 1
#define GASNETI_TOOLS_SPEC_VERSION_MINOR 20
#define GASNETI_CONDUITS " smp"

#endif  // GONDWANA_GASNET_CONFIG_H
