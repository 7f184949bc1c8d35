"""Emits the C++ overloads of shmem.h: the C11 generics again, as inline functions."""

from dataclasses import replace

import volatiles
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
            *_c_complex(api),
            *volatiles.section(api),
            '} /* extern "C++" */\n#endif',
        ]
    )


C_COMPLEX = """\
/* The complex types of C, which the compilers know in C++ too. */
#ifdef __GNUC__
__extension__ typedef double _Complex gondwana_complexd;
__extension__ typedef float _Complex gondwana_complexf;"""
C_TYPES = {
    "std::complex<double>": "gondwana_complexd",
    "std::complex<float>": "gondwana_complexf",
}


def _c_complex(api: Api) -> list[str]:
    """Overloads of routines and of generics for the complex types of C."""
    functions = [(function.name, function) for function in api.functions]
    functions += [
        (form.generic, function)
        for form in api.forms
        if form.generic
        for function in _candidates(form)
    ]
    overloads = [_as_c_complex(*row) for row in functions if takes_complex(row[1])]
    return [C_COMPLEX, *overloads, "#endif /* __GNUC__ */"]


def takes_complex(function: Function) -> bool:
    return any("std::complex" in parameter.type for parameter in function.cxx.parameters)


def _as_c_complex(name: str, function: Function) -> str:
    parameters = tuple(
        replace(parameter, type=_c_type(parameter.type)) for parameter in function.cxx.parameters
    )
    arguments = [
        f"reinterpret_cast<{parameter.type}>({parameter.name})"
        if "std::complex" in parameter.type
        else parameter.name
        for parameter in function.cxx.parameters
    ]
    head = Prototype(f"inline {function.cxx.returns}", name, parameters)
    body = statement(function.cxx, function.name, arguments)
    return f"{declaration(head, ' {')}\n{body}\n}}"


def _c_type(text: str) -> str:
    for cxx, c in C_TYPES.items():
        text = text.replace(cxx, c)
    return text


def _candidates(form: Form) -> list[Function]:
    return form.distinct + form.distinct_contexts


def _signature(prototype: Prototype, name: str | None = None) -> tuple[str, ...]:
    """What C++ distinguishes overloads by. A C function with this signature is not an overload."""
    return (name or prototype.name, *(parameter.type for parameter in prototype.parameters))


def _overload(name: str, function: Function) -> str:
    head = Prototype(f"inline {function.cxx.returns}", name, function.cxx.parameters)
    arguments = [parameter.name for parameter in head.parameters]
    body = statement(function.cxx, function.name, arguments)
    return f"{declaration(head, ' {')}\n{body}\n}}"
