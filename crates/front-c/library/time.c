/* <time.h>, <sys/time.h>: clocks and sleeping. A clock does not go backwards. */
long long __selvedge_input(long long, long long);
int __selvedge_fails(int, ...);
int __selvedge_calls(const char *, ...);
int __selvedge_wanted(void);
void __selvedge_set_errno(int);
void __selvedge_refuse(const char *);

enum { EINTR = 4, EFAULT = 14, EINVAL = 22, SECOND = 1000000000 };

/* The clocks of Linux, in nanoseconds; the first is that of the day. One step moves a clock and reads it. They have so many bits that
   none goes past its end, so that a time which nobody looks at decides nothing. */
enum { CLOCKS = 12, PROCESS = 2 };
typedef unsigned __int128 moment;
static moment clocks[CLOCKS];

static moment now(int clock)
{
    return __sync_add_and_fetch(&clocks[clock], (moment)__selvedge_input(0, 0x1fffffffffffffff));
}

/* Seconds alone are simpler, where no finer clock could tell. */
static long long whole_seconds;

static long __selvedge_lib_time(long *to)
{
    long long then;
    if (__selvedge_calls("gettimeofday", "clock_gettime", "timespec_get"))
        then = (long long)(now(0) / SECOND);
    else
        then = __sync_add_and_fetch(&whole_seconds, __selvedge_input(0, 0xffffffffff));
    long seconds = (long)(sizeof(long) == 4 && then > 0x7fffffff ? 0x7fffffff : then);
    if (to)
        *to = seconds;
    return seconds;
}

static long __selvedge_lib_clock(void)
{
    return (long)(now(PROCESS) / 1000);
}

static int __selvedge_lib_gettimeofday(long *to, void *zone)
{
    moment then = now(0);
    to[0] = (long)(then / SECOND);
    to[1] = (long)(then % SECOND / 1000);
    return 0;
}

static int __selvedge_lib_clock_gettime(int clock, long *to)
{
    if (clock < 0)
        __selvedge_refuse("a clock of another process or thread");
    if (clock >= CLOCKS || clock == 10) {
        __selvedge_set_errno(EINVAL);
        return -1;
    }
    moment then = now(clock);
    to[0] = (long)(then / SECOND);
    to[1] = (long)(then % SECOND);
    return 0;
}

static int __selvedge_lib_timespec_get(long *to, int base)
{
    if (base != 1)
        return 0;
    moment then = now(0);
    to[0] = (long)(then / SECOND);
    to[1] = (long)(then % SECOND);
    return base;
}

static long at_most(long bound)
{
    long n = (long)__selvedge_input(0, 0x7fffffff);
    return n < bound ? n : bound;
}

/* A sleep that a signal ends leaves the time that is left. */
static int interrupted(const long *wanted, long *rest)
{
    long seconds = wanted[0], nanoseconds = wanted[1];
    if (nanoseconds < 0 || nanoseconds >= SECOND || seconds < 0)
        return EINVAL;
    if ((!rest && !__selvedge_wanted()) || !__selvedge_fails(EINTR))
        return 0;
    if (rest) {
        rest[0] = at_most(seconds);
        rest[1] = at_most(rest[0] == seconds ? nanoseconds : SECOND - 1);
    }
    return EINTR;
}

static int __selvedge_lib_nanosleep(const long *wanted, long *rest)
{
    int error = interrupted(wanted, rest);
    if (error)
        __selvedge_set_errno(error);
    return error ? -1 : 0;
}

static int __selvedge_lib_clock_nanosleep(int clock, int flags, const long *wanted, long *rest)
{
    return interrupted(wanted, flags ? 0 : rest);
}

/* `thrd_sleep` has a code of its own for each way to end early. */
static int __selvedge_lib_thrd_sleep(const long *wanted, long *rest)
{
    int error = interrupted(wanted, rest);
    return error == EINTR ? -1 : error ? -2 : 0;
}

static unsigned __selvedge_lib_sleep(unsigned seconds)
{
    if (!__selvedge_wanted())
        return 0;
    unsigned left = (unsigned)__selvedge_input(0, 0xffffffff);
    return left < seconds ? left : seconds;
}

static int __selvedge_lib_usleep(unsigned microseconds)
{
    if (!__selvedge_wanted())
        return 0;
    if (microseconds >= 1000000)
        return __selvedge_fails(EINTR, EINVAL) ? -1 : 0;
    return __selvedge_fails(EINTR) ? -1 : 0;
}

static unsigned __selvedge_lib_alarm(unsigned seconds)
{
    return __selvedge_wanted() ? (unsigned)__selvedge_input(0, 0xffffffff) : 0;
}

static double __selvedge_lib_difftime(long end, long start)
{
    return (double)end - (double)start;
}
