"""Emits the C++ overloads of shmem.h for volatile variables, which a PE waits for or tests.

Their first parameter is a class that volatile pointers convert to. Overloads over plain pointers
would leave a call with a null pointer ambiguous.
"""

from dataclasses import replace

from layout import declaration, statement
from table import Api, Function, Parameter, Prototype

HEAD = """\
/*
 * Variables that PEs wait for, and locks, may be volatile: OpenSHMEM declared them so up to 1.3. A
 * profiling tool, which includes pshmem.h first, sees one function of each name.
 */
#ifndef GONDWANA_PSHMEM_H
template <typename T>
struct gondwana_shmem_volatile {
  gondwana_shmem_volatile(volatile T* variable) : pointer(const_cast<T*>(variable)) {}
  T* pointer;
};"""
TAIL = "#endif /* GONDWANA_PSHMEM_H */"
VARIABLES = ("ivar", "ivars", "lock", "sig_addr")


def section(api: Api) -> list[str]:
    functions = [(function.name, function) for function in api.functions if variable(function)]
    functions += [
        (form.generic, function)
        for form in api.forms
        if form.generic
        for function in form.distinct
        if variable(function)
    ]
    overloads = {(name, variable(f).type): _overload(name, f) for name, f in reversed(functions)}
    return [HEAD, *reversed(overloads.values()), TAIL]


def variable(function: Function) -> Parameter | None:
    """The caller's own variable that it waits for or tests."""
    parameters = {parameter.name: parameter for parameter in function.cxx.parameters}
    if "pe" in parameters:
        return None
    return next((parameters[name] for name in VARIABLES if name in parameters), None)


def _overload(name: str, function: Function) -> str:
    own = variable(function)
    parameters = tuple(_volatile(p) if p is own else p for p in function.cxx.parameters)
    arguments = [f"{p.name}.pointer" if p is own else p.name for p in function.cxx.parameters]
    head = Prototype(f"inline {function.cxx.returns}", name, parameters)
    body = statement(function.cxx, function.name, arguments)
    return f"{declaration(head, ' {')}\n{body}\n}}"


def _volatile(parameter: Parameter) -> Parameter:
    return replace(parameter, type=f"gondwana_shmem_volatile<{parameter.type.removesuffix('*')}>")
