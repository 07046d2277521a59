/* <sys/syscall.h>: the calls of Linux that programs make by number. A futex is waited for as for a condition: it may wake at any time. */
typedef __builtin_va_list list;
int __selvedge_choice(void);
int __selvedge_fails(int, ...);
void __selvedge_set_errno(int);
void __selvedge_refuse(const char *);
int __selvedge_waiting(void);
long long __selvedge_integer(list, int);
int __selvedge_wanted(void);
long long __selvedge_approximation(long long, long long);

enum { EINTR = 4, EAGAIN = 11, ETIMEDOUT = 110 };
enum { SCHED_YIELD = 24, GETTID = 186, FUTEX = 202, SCHED_YIELD_32 = 158, GETTID_32 = 224, FUTEX_32 = 240 };
enum { WAIT = 0, WAKE = 1, REQUEUE = 3, COMPARE_REQUEUE = 4, WAIT_BITSET = 9, WAKE_BITSET = 10, OPTIONS = 128 | 256 };

static long number_of_thread(void)
{
    static __thread int id;
    if (!id)
        id = (int)__selvedge_approximation(1, 4194304);
    return id;
}

static long error(int number)
{
    __selvedge_set_errno(number);
    return -1;
}

static long futex(int *word, int what, int value, void *timeout)
{
    int call = what & ~OPTIONS;
    if (call == WAIT || call == WAIT_BITSET) {
        if (__selvedge_waiting())
            __selvedge_refuse("waiting for a futex, where how threads wait is asked");
        if (__atomic_load_n(word, 5) != value)
            return error(EAGAIN);
        if (timeout && __selvedge_choice())
            return error(ETIMEDOUT);
        return __selvedge_wanted() && __selvedge_fails(EINTR) ? -1 : 0;
    }
    /* How many waited, nobody counts. */
    if (call == WAKE || call == WAKE_BITSET)
        return __selvedge_wanted() && value > 0 ? (long)(__selvedge_approximation(0, 0x7fffffff) % ((long long)value + 1)) : 0;
    __selvedge_refuse("a call of `futex` other than to wait or to wake");
    return 0;
}

static long __selvedge_lib_syscall(long number, ...)
{
    list arguments;
    __builtin_va_start(arguments, number);
    int wide = sizeof(long) == 8;
    if (number == (wide ? FUTEX : FUTEX_32)) {
        int *word = __builtin_va_arg(arguments, int *);
        int what = (int)__selvedge_integer(arguments, 4);
        int value = (int)__selvedge_integer(arguments, 4);
        /* Waking needs no more, and some give no more. */
        void *timeout = (what & ~OPTIONS) == WAIT || (what & ~OPTIONS) == WAIT_BITSET ? (void *)__selvedge_integer(arguments, 4) : 0;
        __builtin_va_end(arguments);
        return futex(word, what, value, timeout);
    }
    __builtin_va_end(arguments);
    if (number == (wide ? GETTID : GETTID_32))
        return number_of_thread();
    if (number == (wide ? SCHED_YIELD : SCHED_YIELD_32))
        return 0;
    __selvedge_refuse("`syscall` of another number than those that are known");
    return 0;
}
