/* <pthread.h>: attributes that change nothing here. The kind of a mutex is kept by intrinsics. */
long long __selvedge_approximation(long long, long long);
void __selvedge_refuse(const char *);

enum { EINVAL = 22, INT_MAX = 0x7fffffff };

static int __selvedge_lib_pthread_attr_destroy(void *attributes) { return 0; }
static int __selvedge_lib_pthread_attr_setguardsize(void *attributes, unsigned long size) { return 0; }
static int __selvedge_lib_pthread_barrierattr_init(void *attributes) { return 0; }
static int __selvedge_lib_pthread_barrierattr_destroy(void *attributes) { return 0; }
static int __selvedge_lib_pthread_condattr_init(void *attributes) { return 0; }
static int __selvedge_lib_pthread_condattr_destroy(void *attributes) { return 0; }
static int __selvedge_lib_pthread_mutexattr_destroy(void *attributes) { return 0; }
static int __selvedge_lib_pthread_rwlockattr_init(void *attributes) { return 0; }
static int __selvedge_lib_pthread_rwlockattr_destroy(void *attributes) { return 0; }

/* Values that can be set. */
static int up_to(int value, int most)
{
    return value >= 0 && value <= most ? 0 : EINVAL;
}

static int __selvedge_lib_pthread_attr_setinheritsched(void *attributes, int value) { return up_to(value, 1); }
static int __selvedge_lib_pthread_attr_setschedpolicy(void *attributes, int value) { return up_to(value, 2); }
static int __selvedge_lib_pthread_barrierattr_setpshared(void *attributes, int value) { return up_to(value, 1); }
static int __selvedge_lib_pthread_condattr_setclock(void *attributes, int value) { return up_to(value, 1); }
static int __selvedge_lib_pthread_condattr_setpshared(void *attributes, int value) { return up_to(value, 1); }
static int __selvedge_lib_pthread_mutexattr_setpshared(void *attributes, int value) { return up_to(value, 1); }
static int __selvedge_lib_pthread_rwlockattr_setpshared(void *attributes, int value) { return up_to(value, 1); }

static int __selvedge_lib_pthread_attr_setstacksize(void *attributes, unsigned long size)
{
    return size >= 16384 && (long)size > 0 ? 0 : EINVAL;
}

/* Only threads that can be joined are made. */
static int __selvedge_lib_pthread_attr_setdetachstate(void *attributes, int state)
{
    if (state)
        __selvedge_refuse("threads that are created detached");
    return 0;
}

/* Whether these can be set is not known. */
static int unchecked(void)
{
    return (int)__selvedge_approximation(-INT_MAX - 1, INT_MAX);
}

static int __selvedge_lib_pthread_attr_setaffinity_np(void *attributes, unsigned long size, const void *set)
{
    return unchecked();
}

static int __selvedge_lib_pthread_attr_setschedparam(void *attributes, const void *parameter) { return unchecked(); }
static int __selvedge_lib_pthread_attr_setscope(void *attributes, int scope) { return unchecked(); }
static int __selvedge_lib_pthread_attr_setstack(void *attributes, void *stack, unsigned long size) { return unchecked(); }
static int __selvedge_lib_pthread_setconcurrency(int level) { return unchecked(); }
static int __selvedge_lib_pthread_setname_np(unsigned long thread, const char *name) { return unchecked(); }

/* A robust mutex tells of dead owners, a ceiling lets locking fail, and a lock that prefers writers makes readers
   wait: none of these is modelled. */
static int __selvedge_lib_pthread_mutexattr_setrobust(void *attributes, int value)
{
    if (value)
        __selvedge_refuse("an attribute set by `pthread_mutexattr_setrobust`");
    return 0;
}

static int __selvedge_lib_pthread_mutexattr_setrobust_np(void *attributes, int value)
{
    if (value)
        __selvedge_refuse("an attribute set by `pthread_mutexattr_setrobust_np`");
    return 0;
}

static int __selvedge_lib_pthread_mutexattr_setprotocol(void *attributes, int value)
{
    if (value < 0 || value > 1)
        __selvedge_refuse("an attribute set by `pthread_mutexattr_setprotocol`");
    return 0;
}

static int __selvedge_lib_pthread_rwlockattr_setkind_np(void *attributes, int value)
{
    if (value)
        __selvedge_refuse("an attribute set by `pthread_rwlockattr_setkind_np`");
    return 0;
}
