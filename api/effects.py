"""The columns of a row that say what a call does, as a profile counts it and a trace shows it.

moves      put, get, atomic or message: bytes go between the caller and one peer
bytes      how many, in terms of the parameters; without "moves", the size of what it works on
peer       which; in OpenSHMEM always the parameter pe
at         the place in the memory of the peer, where the call names one; for a put with a signal
           the signal, for which peers wait
awaits     the words that it waits for; "bytes" is their size
allocates  how many bytes
lock       acquire, try_acquire or release: what it does to its parameter lock
barrier    a barrier of all, if empty; or of those that these parameters name

A family may say what holds for all its rows.
"""

COLUMNS = ("moves", "bytes", "peer", "at", "awaits", "allocates", "lock", "barrier")


def columns(row: dict) -> dict[str, str]:
    return {name: row[name] for name in COLUMNS if name in row}
