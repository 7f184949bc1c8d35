// Annotations for compilers, with GASNet's names. A name that ends in P follows the declaration and
// takes the function's name. Part of gasnet_tools.h.
#ifndef GONDWANA_GASNET_TOOLS_ANNOTATIONS_H
#define GONDWANA_GASNET_TOOLS_ANNOTATIONS_H

#define GASNETT_INLINE(function) static __inline__ __attribute__((__always_inline__))
#define GASNETT_NEVER_INLINE(function, declarator) __attribute__((__noinline__)) declarator
#define GASNETT_RESTRICT __restrict__
#define GASNETT_FORMAT_PRINTF(function, format, first, declarator) \
  __attribute__((__format__(__printf__, format, first))) declarator
#define GASNETT_FORMAT_PRINTF_FUNCPTR(function, format, first, declarator) \
  __attribute__((__format__(__printf__, format, first))) declarator
#define GASNETT_NORETURN __attribute__((__noreturn__))
#define GASNETT_NORETURNP(function)
#define GASNETT_MALLOC __attribute__((__malloc__))
#define GASNETT_MALLOCP(function)
#define GASNETT_PURE __attribute__((__pure__))
#define GASNETT_PUREP(function)
#define GASNETT_CONST __attribute__((__const__))
#define GASNETT_CONSTP(function)
#define GASNETT_HOT __attribute__((__hot__))
#define GASNETT_COLD __attribute__((__cold__))
#define GASNETT_DEPRECATED __attribute__((__deprecated__))
#define GASNETT_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#define GASNETT_USED __attribute__((__used__))
#define GASNETT_UNUSED __attribute__((__unused__))
// Used at the end of a case, without a semicolon.
#define GASNETT_FALLTHROUGH __attribute__((__fallthrough__));
#define GASNETT_USE_PRAGMA_GCC_DIAGNOSTIC 1

#define GASNETT_PREDICT_TRUE(condition) __builtin_expect(!!(condition), 1)
#define GASNETT_PREDICT_FALSE(condition) __builtin_expect(!!(condition), 0)
#define if_pt(condition) if (GASNETT_PREDICT_TRUE(condition))
#define if_pf(condition) if (GASNETT_PREDICT_FALSE(condition))
#define gasnett_constant_p(expression) __builtin_constant_p(expression)
#define gasnett_unreachable() __builtin_unreachable()

#ifdef __cplusplus
#define GASNETT_EXTERNC extern "C"
#define GASNETT_BEGIN_EXTERNC extern "C" {
#define GASNETT_END_EXTERNC }
#else
#define GASNETT_EXTERNC extern
#define GASNETT_BEGIN_EXTERNC
#define GASNETT_END_EXTERNC
#endif

#ifndef _STRINGIFY
#define GONDWANA_GASNETT_QUOTE(text) #text
#define _STRINGIFY(text) GONDWANA_GASNETT_QUOTE(text)
#endif
#ifndef _CONCAT
#define GONDWANA_GASNETT_JOIN(left, right) left##right
#define _CONCAT(left, right) GONDWANA_GASNETT_JOIN(left, right)
#endif

#define GASNETT_CURRENT_FUNCTION __func__
// Stores a text in the object file, where the program `ident` and launchers find it.
#define GASNETT_IDENT(name, text) static const char name[] __attribute__((__used__)) = text

// Each argument is evaluated once, from left to right.
#define GASNETT_UNUSED_ARGS1(a) ((void)(a))
#define GASNETT_UNUSED_ARGS2(a, b) (GASNETT_UNUSED_ARGS1(a), (void)(b))
#define GASNETT_UNUSED_ARGS3(a, b, c) (GASNETT_UNUSED_ARGS2(a, b), (void)(c))
#define GASNETT_UNUSED_ARGS4(a, b, c, d) (GASNETT_UNUSED_ARGS3(a, b, c), (void)(d))
#define GASNETT_UNUSED_ARGS5(a, b, c, d, e) (GASNETT_UNUSED_ARGS4(a, b, c, d), (void)(e))
#define GASNETT_UNUSED_ARGS6(a, b, c, d, e, f) (GASNETT_UNUSED_ARGS5(a, b, c, d, e), (void)(f))
#define GASNETT_UNUSED_ARGS7(a, b, c, d, e, f, g) \
  (GASNETT_UNUSED_ARGS6(a, b, c, d, e, f), (void)(g))
#define GASNETT_UNUSED_ARGS8(a, b, c, d, e, f, g, h) \
  (GASNETT_UNUSED_ARGS7(a, b, c, d, e, f, g), (void)(h))

#endif  // GONDWANA_GASNET_TOOLS_ANNOTATIONS_H
