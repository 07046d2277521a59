/* Selvedge's own <assert.h>: it can be read again with another NDEBUG. */
#undef assert
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
    ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))
#endif
#ifndef static_assert
#define static_assert _Static_assert
#endif
