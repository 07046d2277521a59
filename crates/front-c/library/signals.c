/* <signal.h>: handlers and masks are kept, but no signal comes by itself; one that is sent ends the program or does nothing. */
unsigned long pthread_self(void);
void _exit(int);
long long __selvedge_approximation(long long, long long);
void __selvedge_set_errno(int);
void __selvedge_assumption(const char *);
void __selvedge_refuse(const char *);

enum { ESRCH = 3, EINVAL = 22, SIGKILL = 9, SIGCHLD = 17, SIGCONT = 18, SIGSTOP = 19, SIGTTOU = 22, SIGURG = 23, SIGWINCH = 28, LAST = 64 };
enum { WORDS = 1024 / (8 * sizeof(long)), BITS = 8 * sizeof(long) };

/* What handles a signal; 0 is the default, 1 ignores it. */
static void *handlers[LAST + 1];

static int failed(void)
{
    __selvedge_set_errno(EINVAL);
    return -1;
}

/* Numbers of no signal, and of the two that the C library keeps for itself. */
static int is_refused(int number)
{
    return number < 1 || number > LAST || number == 32 || number == 33;
}

static void *handle(int number, void *handler)
{
    __selvedge_assumption("no signal is delivered: handlers are not called");
    return __atomic_exchange_n(&handlers[number], handler, 5);
}

static void *__selvedge_lib_signal(int number, void *handler)
{
    if (is_refused(number) || number == SIGKILL || number == SIGSTOP) {
        __selvedge_set_errno(EINVAL);
        return (void *)-1;
    }
    return handle(number, handler);
}

/* The handler is what both structs begin with. */
static int __selvedge_lib_sigaction(int number, const void *new, void *old)
{
    if (is_refused(number) || (new && (number == SIGKILL || number == SIGSTOP)))
        return failed();
    if (old)
        __selvedge_refuse("`sigaction` that stores what was there");
    if (new)
        handle(number, *(void *const *)new);
    return 0;
}

/* Sets of signals are bits. */
static int __selvedge_lib_sigemptyset(unsigned long *set)
{
    for (int i = 0; i < WORDS; i++)
        set[i] = 0;
    return 0;
}

static int __selvedge_lib_sigfillset(unsigned long *set)
{
    for (int i = 0; i < WORDS; i++)
        set[i] = -1ul;
    for (int own = 32; own <= 33; own++)
        set[(own - 1) / BITS] &= ~(1ul << ((own - 1) % BITS));
    return 0;
}

static int __selvedge_lib_sigaddset(unsigned long *set, int number)
{
    if (is_refused(number))
        return failed();
    set[(number - 1) / BITS] |= 1ul << ((number - 1) % BITS);
    return 0;
}

static int __selvedge_lib_sigdelset(unsigned long *set, int number)
{
    if (is_refused(number))
        return failed();
    set[(number - 1) / BITS] &= ~(1ul << ((number - 1) % BITS));
    return 0;
}

static int __selvedge_lib_sigismember(const unsigned long *set, int number)
{
    if (number < 1 || number > LAST)
        return failed();
    return set[(number - 1) / BITS] >> ((number - 1) % BITS) & 1;
}

/* What is blocked does not come anyway; what was blocked before is not kept. */
static int masked(int how, const void *set, unsigned long *old)
{
    __selvedge_assumption("no signal is delivered: handlers are not called");
    if (set && (how < 0 || how > 2))
        return EINVAL;
    if (old)
        for (int i = 0; i < WORDS; i++)
            old[i] = (unsigned long)__selvedge_approximation(-0x7fffffffffffffff - 1, 0x7fffffffffffffff);
    return 0;
}

static int __selvedge_lib_pthread_sigmask(int how, const void *set, unsigned long *old)
{
    return masked(how, set, old);
}

static int __selvedge_lib_sigprocmask(int how, const void *set, unsigned long *old)
{
    return masked(how, set, old) ? failed() : 0;
}

/* Handlers of other threads run where they are: that is not followed. */
static int __selvedge_lib_pthread_kill(unsigned long thread, int number)
{
    if (number < 0 || number > LAST)
        return EINVAL;
    if (number == 0)
        return 0;
    void *handler = number == SIGKILL || number == SIGSTOP ? 0 : __atomic_load_n(&handlers[number], 5);
    int harmless = number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH;
    if (handler == (void *)1 || (!handler && harmless))
        return 0;
    if (handler || (number >= SIGSTOP && number <= SIGTTOU))
        __selvedge_refuse("a signal sent to a thread, that a handler takes or that stops the program");
    _exit(128 + number);
    return 0;
}

/* Nobody forks. */
static int __selvedge_lib_pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
    return 0;
}
