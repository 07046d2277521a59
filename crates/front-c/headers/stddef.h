/* Selvedge's own <stddef.h>. */
#ifndef SELVEDGE_STDDEF_H
#define SELVEDGE_STDDEF_H
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __WCHAR_TYPE__ wchar_t;
typedef struct { long long __a; long double __b; } max_align_t;
#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
#ifndef NULL
#define NULL ((void *)0)
#endif
#undef __need_size_t
#undef __need_wchar_t
#undef __need_NULL
#undef __need_ptrdiff_t
#undef __need_wint_t
#ifndef SELVEDGE_WINT
#define SELVEDGE_WINT
typedef __WINT_TYPE__ wint_t;
#endif
