"""Emits the C11 generic macros of shmem.h.

A generic without a context selects on the object that its first pointer points to. A generic with
a context selects on the type of its first argument, then on the type of the pointer. Both
selections are always compiled, so they must accept any argument, and list pointer types.
"""

from layout import WIDTH, banner, comment, hanging
from table import Api, Form, Function

TEXT = """
Each selects on the type of a pointer, so that its const and volatile do not matter. Those that \
also take a context as their first argument look at the first two; a compound literal with commas \
needs parentheses around it there.
"""
GUARD = "#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L"

# A function and not a _Static_assert: it must be a valid callee even if it is not selected.
UNKNOWN = "gondwana_shmem_unknown_type"
UNKNOWN_TEXT = "What a call with an argument of any other type selects; it never compiles."
UNKNOWN_LINES = f"""\
int {UNKNOWN}(const volatile void* first, ...)
#if defined(__has_attribute)
#if __has_attribute(__error__)
      __attribute__((__error__("the first argument of this OpenSHMEM call is neither a pointer to"
                               " a type that the routine has, nor a context and one")))
#endif
#endif
      ;"""

HELPERS = """\
#define GONDWANA_SHMEM_FIRST(first, ...) first
#define GONDWANA_SHMEM_POINTERS(type, function) \\
  type*: function, const type*: function, volatile type*: function, \\
  const volatile type*: function"""


def section(api: Api) -> str:
    forms = [form for form in api.forms if form.generic]
    names = {function.name for function in api.functions}
    return "\n\n".join(
        [
            banner("C11 generics"),
            comment(TEXT),
            GUARD,
            f"{comment(UNKNOWN_TEXT)}\n{UNKNOWN_LINES}",
            HELPERS,
            *_selections(forms),
            *(_generic(form, form.generic in names) for form in forms),
            "#endif /* C11 */",
        ]
    )


def _selections(forms: list[Form]) -> list[str]:
    """The macros that select a routine, one for each set of types with contexts."""
    sets = {form.type_set: form for form in forms if form.type_set and form.contexts}
    return [_selection(name, form.distinct) for name, form in sets.items()]


def _selection(type_set: str, distinct: list[Function]) -> str:
    cases = (
        f"  GONDWANA_SHMEM_POINTERS({f.type.c}, before##{f.type.name}##after)" for f in distinct
    )
    head = f"#define {_selection_name(type_set)}(before, after, pointer)"
    lines = [head, "  _Generic((pointer),", *(f"  {case}," for case in cases)]
    return " \\\n".join([*lines, f"    default: {UNKNOWN})"])


def _selection_name(type_set: str) -> str:
    return f"GONDWANA_SHMEM_{type_set.upper()}"


def _generic(form: Form, also_function: bool) -> str:
    if form.type_set:
        return _typed_with_context(form) if form.contexts else _typed(form)
    if form.contexts:
        return _untyped(form.generic, "shmem_ctx_t", form.contexts[0].name)
    if also_function:
        return _untyped(form.generic, form.plain[0].c.parameters[0].type, form.plain[0].name)
    inside = ", ".join(parameter.name for parameter in form.plain[0].c.parameters)
    return f"#define {form.generic}({inside}) {form.plain[0].name}({inside})"


def _typed(form: Form) -> str:
    names = [parameter.name for parameter in form.plain[0].c.parameters]
    # The rest is variadic, because commas of a compound literal must not separate arguments.
    shown = ", ".join(names[: form.selector + 1])
    choices = [f"{function.type.c}: {function.name}" for function in form.distinct]
    lines = [
        f"#define {form.generic}({shown}, ...)",
        *hanging(f"  _Generic(*({names[form.selector]}), ", choices, ")", WIDTH - 2).split("\n"),
        f"  ({shown}, __VA_ARGS__)",
    ]
    return " \\\n".join(lines)


def _typed_with_context(form: Form) -> str:
    select = _selection_name(form.type_set)
    after = form.generic.removeprefix("shmem")
    second = ["shmem_ctx_", after, "GONDWANA_SHMEM_FIRST(__VA_ARGS__, 0)"]
    lines = [
        f"#define {form.generic}(first, ...)",
        "  _Generic((first),",
        *hanging(f"    shmem_ctx_t: {select}(", second, "),", WIDTH - 2).split("\n"),
        f"    default: {select}(shmem_, {after}, first))",
        "  (first, __VA_ARGS__)",
    ]
    return " \\\n".join(lines)


def _untyped(name: str, first: str, function: str) -> str:
    """A macro that calls the C function of the same name, unless the first argument has the type
    `first`.
    """
    lines = [
        f"#define {name}(...)",
        "  _Generic((GONDWANA_SHMEM_FIRST(__VA_ARGS__, 0)),",
        f"    {first}: {function}, default: {name})",
        "  (__VA_ARGS__)",
    ]
    return " \\\n".join(lines)
