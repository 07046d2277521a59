/* Numbers that the world gives, and settings. */
long long __selvedge_input(long long, long long);
long long __selvedge_approximation(long long, long long);
int __selvedge_choice(void);
int __selvedge_calls(const char *, ...);
int __selvedge_fails(int, ...);
void *__selvedge_unknown(void);
int __selvedge_wanted(void);
void __selvedge_text(const char *);

enum { EPERM = 1, ESRCH = 3, EAGAIN = 11, ENOMEM = 12, EFAULT = 14, EINVAL = 22, INT_MAX = 0x7fffffff };

/* Any numbers come, but the same ones again after the same seed: what comes after a second seed, or one that is set late, is not free. */
enum { FRESH, BEGUN, AGAIN };
static int sequence;

static void seeded(void)
{
    if (sequence != FRESH)
        sequence = AGAIN;
    else
        sequence = BEGUN;
}

/* Whether the next number is one that came before. */
static int repeated(void)
{
    if (!__selvedge_calls("srand", "srandom", "srand48"))
        return 0;
    if (sequence == AGAIN)
        return 1;
    sequence = BEGUN;
    return 0;
}

static long long drawn(void)
{
    return repeated() ? __selvedge_approximation(0, INT_MAX) : __selvedge_input(0, INT_MAX);
}

static int __selvedge_lib_rand(void) { return (int)drawn(); }
static long __selvedge_lib_random(void) { return (long)drawn(); }
static long __selvedge_lib_lrand48(void) { return (long)drawn(); }

static long __selvedge_lib_mrand48(void)
{
    return (long)(repeated() ? __selvedge_approximation(-INT_MAX - 1, INT_MAX)
                             : __selvedge_input(-INT_MAX - 1, INT_MAX));
}

static void __selvedge_lib_srand(unsigned seed) { seeded(); }
static void __selvedge_lib_srandom(unsigned seed) { seeded(); }
static void __selvedge_lib_srand48(long seed) { seeded(); }

/* Which function of the seed it is, no standard says; but it is one, so that only the first result is free. */
static int asked;

static int __selvedge_lib_rand_r(unsigned *seed)
{
    if (__sync_fetch_and_or(&asked, 1)) {
        *seed = (unsigned)__selvedge_approximation(0, 0xffffffff);
        return (int)__selvedge_approximation(0, INT_MAX);
    }
    *seed = (unsigned)__selvedge_input(0, 0xffffffff);
    return (int)__selvedge_input(0, INT_MAX);
}

/* The first to ask fixes a number that stays the same. */
static int numbers[2];

static int number(int *of)
{
    __sync_bool_compare_and_swap(of, 0, (int)__selvedge_input(1, 4194304));
    return *of;
}

static int __selvedge_lib_getpid(void) { return number(&numbers[0]); }
static int __selvedge_lib_getppid(void) { return (int)__selvedge_input(0, 4194304); }

static int __selvedge_lib_gettid(void)
{
    static __thread int id;
    if (!id)
        id = (int)__selvedge_approximation(1, 4194304);
    return id;
}

static long __selvedge_lib_sysconf(int name)
{
    return (long)__selvedge_approximation(-1, INT_MAX);
}

static int __selvedge_lib_getpagesize(void) { return (int)__selvedge_approximation(1, INT_MAX); }

static int looked;

static char *__selvedge_lib_getenv(const char *name)
{
    __selvedge_text(name);
    /* The same name has the same value again, and a value that the program sets stays. */
    if (__selvedge_calls("setenv", "putenv", "unsetenv", "clearenv") || __sync_fetch_and_or(&looked, 1))
        return __selvedge_approximation(0, 1) ? 0 : __selvedge_unknown();
    return __selvedge_choice() ? 0 : __selvedge_unknown();
}

static int __selvedge_lib_sched_yield(void) { return 0; }

static int __selvedge_lib_sched_setscheduler(int process, int policy, const void *parameter)
{
    return __selvedge_wanted() && __selvedge_fails(EINVAL, EPERM, ESRCH) ? -1 : 0;
}

static int __selvedge_lib_sched_setaffinity(int process, __typeof__(sizeof(0)) size, const void *mask)
{
    return __selvedge_wanted() && __selvedge_fails(EFAULT, EINVAL, EPERM, ESRCH) ? -1 : 0;
}

static int __selvedge_lib_mlockall(int flags) { return __selvedge_wanted() && __selvedge_fails(EAGAIN, EINVAL, ENOMEM, EPERM) ? -1 : 0; }

/* Scheduling changes when a thread runs, never what can happen. */
static int __selvedge_lib_pthread_setschedparam(unsigned long thread, int policy, const void *parameter)
{
    return !__selvedge_wanted() ? 0 : __selvedge_choice() ? EINVAL : __selvedge_choice() ? EPERM : 0;
}

static int __selvedge_lib_pthread_setschedprio(unsigned long thread, int priority)
{
    return !__selvedge_wanted() ? 0 : __selvedge_choice() ? EINVAL : __selvedge_choice() ? EPERM : 0;
}

static int __selvedge_lib_pthread_setaffinity_np(unsigned long thread, __typeof__(sizeof(0)) size, const void *mask)
{
    return __selvedge_wanted() && __selvedge_choice() ? EINVAL : 0;
}
