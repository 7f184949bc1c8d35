"""The host API of NVSHMEM: its tables, and what is generated from them."""
