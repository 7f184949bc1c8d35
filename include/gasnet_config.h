// GASNet on Gondwana: clients search for this file to find where GASNet is installed, and read it
// with tools that do not know C. The compile-time properties of the library are in
// gasnet/configuration.h.
#ifndef GONDWANA_GASNET_CONFIG_H
#define GONDWANA_GASNET_CONFIG_H

#define GASNET_RELEASE_VERSION_MAJOR 2025
#define GASNET_RELEASE_VERSION_MINOR 8
#define GASNET_RELEASE_VERSION_PATCH 0
#define GASNETI_RELEASE_VERSION 2025.8.0
#define GASNETI_RELEASE_VERSION_MAJOR 2025
#define GASNETI_RELEASE_VERSION_MINOR 8
#define GASNETI_RELEASE_VERSION_PATCH 0
#define GASNETI_SPEC_VERSION_MAJOR 1
#define GASNETI_SPEC_VERSION_MINOR 8
#define GASNETI_EX_SPEC_VERSION_MAJOR 0
#define GASNETI_EX_SPEC_VERSION_MINOR 19
#define GASNETI_TOOLS_SPEC_VERSION_MAJOR 1
#define GASNETI_TOOLS_SPEC_VERSION_MINOR 20
#define GASNETI_CONDUITS " smp udp ofi ibv ucx mpi"

#endif  // GONDWANA_GASNET_CONFIG_H
