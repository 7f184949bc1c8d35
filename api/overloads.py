"""Emits the C++ overloads of shmem.h: the C11 generics again, as inline functions."""

from layout import banner, declaration, statement
from table import Api, Form, Function, Prototype


def section(api: Api) -> str:
    taken = {_signature(function.cxx) for function in api.functions}
    overloads = (
        _overload(form.generic, function)
        for form in api.forms
        if form.generic
        for function in _candidates(form)
        if _signature(function.cxx, form.generic) not in taken
    )
    return "\n\n".join(
        [
            banner("C++ overloads"),
            '#ifdef __cplusplus\nextern "C++" {',
            *overloads,
            '} /* extern "C++" */\n#endif',
        ]
    )


def _candidates(form: Form) -> list[Function]:
    return form.distinct + form.distinct_contexts


def _signature(prototype: Prototype, name: str | None = None) -> tuple[str, ...]:
    """What C++ tells functions apart by; a C function of the same signature is no overload."""
    return (name or prototype.name, *(parameter.type for parameter in prototype.parameters))


def _overload(name: str, function: Function) -> str:
    head = Prototype(f"inline {function.cxx.returns}", name, function.cxx.parameters)
    arguments = [parameter.name for parameter in head.parameters]
    body = statement(function.cxx, function.name, arguments)
    return f"{declaration(head, ' {')}\n{body}\n}}"
