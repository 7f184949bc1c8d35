"""The columns of a row that say what a call does, for profiles and traces.

moves      put, get, atomic or message: bytes go between the caller and one peer
bytes      the number of these bytes, as an expression of the parameters; without "moves", the
           size of the data of the call
peer       the peer; in OpenSHMEM always the parameter pe
at         the place in the memory of the peer, if the call names one; for a put with a signal
           the signal, for which peers wait
awaits     the words that it waits for; "bytes" is their size
allocates  the number of bytes that it allocates
lock       acquire, try_acquire or release: its operation on its parameter lock
barrier    empty: a barrier of all ranks; otherwise the parameters that name its members

A family may contain columns for all its rows.
"""

COLUMNS = ("moves", "bytes", "peer", "at", "awaits", "allocates", "lock", "barrier")


def columns(row: dict) -> dict[str, str]:
    return {name: row[name] for name in COLUMNS if name in row}
