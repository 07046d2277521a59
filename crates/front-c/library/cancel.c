/* <pthread.h>: deferred cancellation. A thread that waits may stand before its wait instead until it is cancelled: nobody sees the difference. */
unsigned long pthread_self(void);
/* Ends the thread with `PTHREAD_CANCELED`. */
void __selvedge_cancelled(void);
int __selvedge_choice(void);
int __selvedge_calls(const char *, ...);
void __selvedge_refuse(const char *);
int __selvedge_waiting(void);

enum { EINVAL = 22, MOST = 16, ENABLED = 0, ASYNCHRONOUS = 1 };

static __thread int cancel_state, cancel_type;

/* The threads that were to be cancelled, in the order of the calls; 0 for those that have ended since. */
static unsigned long cancelled[MOST];
static int used;

static int exchanged(int *setting, int value, int *old)
{
    if (value != 0 && value != 1)
        return EINVAL;
    if (old)
        *old = *setting;
    *setting = value;
    return 0;
}

static int __selvedge_lib_pthread_setcancelstate(int state, int *old)
{
    return exchanged(&cancel_state, state, old);
}

static int __selvedge_lib_pthread_setcanceltype(int type, int *old)
{
    if (type == ASYNCHRONOUS && __selvedge_calls("pthread_cancel"))
        __selvedge_refuse("asynchronous cancellation");
    return exchanged(&cancel_type, type, old);
}

static int __selvedge_lib_pthread_cancel(unsigned long thread)
{
    if (__selvedge_waiting())
        __selvedge_refuse("`pthread_cancel`, where how threads wait is asked");
    int at = __sync_fetch_and_add(&used, 1);
    if (at >= MOST)
        __selvedge_refuse("more than 16 calls of `pthread_cancel`");
    __atomic_store_n(&cancelled[at], thread, 5);
    return 0;
}

static int is_cancelled(unsigned long thread)
{
    int count = __atomic_load_n(&used, 5);
    for (int i = 0; i < count && i < MOST; i++)
        if (__atomic_load_n(&cancelled[i], 5) == thread)
            return 1;
    return 0;
}

static void cancel(void)
{
    __selvedge_cancelled();
}

static void __selvedge_lib_pthread_testcancel(void)
{
    if (!__selvedge_calls("pthread_cancel"))
        return;
    if (cancel_state == ENABLED && is_cancelled(pthread_self()))
        cancel();
}

/* The same in a function that may look and need not. */
static void __selvedge_lib_beside_pthread_testcancel(void)
{
    if (cancel_state == ENABLED && is_cancelled(pthread_self()) && __selvedge_choice())
        cancel();
}

/* What a thread does that is cancelled in a call whose arguments are evaluated first. */
static void __selvedge_lib_beside_pthread_cancel(void)
{
    if (cancel_state == ENABLED && is_cancelled(pthread_self()))
        __selvedge_refuse("a thread cancelled in a call whose arguments have effects");
}

/* A thread was joined: others may get its number. */
static void __selvedge_lib_beside_pthread_join(unsigned long thread)
{
    int count = __atomic_load_n(&used, 5);
    for (int i = 0; i < count && i < MOST; i++)
        __sync_bool_compare_and_swap(&cancelled[i], thread, 0);
}
