/* The scheduler of the judge: every schedule of a program that the compiler compiled, by depth-first search over its states.

   A thread is a coroutine on a stack of its own. Before each access to shared memory and each operation on a synchronisation object
   it gives control back (sv_step). A state is the program's data, its heap, and the part of each stack that is in use; it is copied
   when it is left and copied back when another choice is tried, and states that were met before are not met again. Dead bytes on a
   stack make states differ that are alike: that costs time and changes no answer. */

#define _GNU_SOURCE
#include <alloca.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SV_THREADS = 9, SV_STACK = 1 << 16, SV_HEAP = 2048, SV_KEYS = 2, SV_BLOCKS = 16, SV_BLOCK = 32, SV_HANDLERS = 8 };

/* What a thread gives control back for. */
enum { SV_STEP, SV_CHOICE, SV_BLOCKED, SV_HALTED, SV_FAILED, SV_UNSUITABLE };
enum { SV_FREE, SV_ALIVE, SV_STUCK, SV_ENDED, SV_JOINED };

typedef struct sv_cleanup {
    void (*routine)(void *);
    void *argument;
    struct sv_cleanup *next;
} sv_cleanup;

typedef struct {
    void *sp;
    int state;
    int detached;
    void *(*start)(void *);
    void *argument;
    void *result;
    sv_cleanup *cleanups;
    void *barrier;
    int is_serial;
    void *values[SV_KEYS];
} sv_thread;

/* All that belongs to a state beside the program's own data and the stacks. */
static struct {
    sv_thread threads[SV_THREADS];
    int created;
    /* The thread that is in a section, or -1, and how many begins it has passed. */
    int section;
    int depth;
    int me;
    int keys;
    void (*destructors[SV_KEYS])(void *);
    size_t used;
    /* Memory that is used again: the blocks that were given out, and whether each is dead. */
    char *blocks[SV_BLOCKS];
    unsigned char dead[SV_BLOCKS];
    int given;
    void (*handlers[SV_HANDLERS])(void);
    int registered;
} sv;

static char sv_heap[SV_HEAP] __attribute__((aligned(16)));
static char sv_stacks[SV_THREADS][SV_STACK] __attribute__((aligned(64)));
static void *sv_scheduler;
static int sv_reason, sv_number, sv_chosen, sv_bound;
static sigjmp_buf sv_crashed;

/* Saves the registers that a called function keeps, and goes on with another stack. */
void sv_switch(void **from, void *to);
#if defined __x86_64__
__asm__(".text\n.globl sv_switch\nsv_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");
enum { SV_SAVED = 6 };
#elif defined __aarch64__
__asm__(".text\n.globl sv_switch\nsv_switch:\n"
        "sub sp,sp,#160\nstp x19,x20,[sp]\nstp x21,x22,[sp,#16]\nstp x23,x24,[sp,#32]\nstp x25,x26,[sp,#48]\n"
        "stp x27,x28,[sp,#64]\nstp x29,x30,[sp,#80]\nstp d8,d9,[sp,#96]\nstp d10,d11,[sp,#112]\n"
        "stp d12,d13,[sp,#128]\nstp d14,d15,[sp,#144]\nmov x9,sp\nstr x9,[x0]\nmov sp,x1\n"
        "ldp x19,x20,[sp]\nldp x21,x22,[sp,#16]\nldp x23,x24,[sp,#32]\nldp x25,x26,[sp,#48]\n"
        "ldp x27,x28,[sp,#64]\nldp x29,x30,[sp,#80]\nldp d8,d9,[sp,#96]\nldp d10,d11,[sp,#112]\n"
        "ldp d12,d13,[sp,#128]\nldp d14,d15,[sp,#144]\nadd sp,sp,#160\nret\n");
#else
#error "the judge knows how to switch stacks on x86-64 and AArch64 only"
#endif

static __attribute__((noinline)) void sv_yield(int reason)
{
    sv_reason = reason;
    sv_switch(&sv.threads[sv.me].sp, sv_scheduler);
}

/* Others may step here. */
static __attribute__((noinline)) void sv_step(void) { sv_yield(SV_STEP); }

/* What comes next cannot be done now. Nothing has happened since the last sv_step, so this choice of a thread is none. */
static __attribute__((noinline)) void sv_blocked(void) { sv_yield(SV_BLOCKED); }

/* The thread stays here for ever. What it did before has happened. */
static __attribute__((noinline)) void sv_stop(void)
{
    sv.threads[sv.me].state = SV_STUCK;
    for (;;)
        sv_yield(SV_STEP);
}

static __attribute__((noinline)) int sv_choose(int count)
{
    sv_number = count;
    sv_yield(SV_CHOICE);
    return sv_chosen;
}

static __attribute__((noinline)) void sv_fail(void) { sv_yield(SV_FAILED); }
static __attribute__((noinline)) void sv_exit(void)
{
    sv_step();
    sv_yield(SV_HALTED);
}

#define SV_V(type) volatile type
#define SV_R(l) ({ __typeof__(&(l)) p_ = &(l); sv_step(); *(SV_V(__typeof__(*p_)) *)p_; })
#define SV_W(l, v) ({ __typeof__(&(l)) p_ = &(l); __typeof__(*p_) v_ = (v); sv_step(); *(SV_V(__typeof__(*p_)) *)p_ = v_; v_; })
#define SV_M(l, op, v) ({ __typeof__(&(l)) p_ = &(l); __auto_type v_ = (v); sv_step(); \
    __typeof__(*p_) o_ = *(SV_V(__typeof__(*p_)) *)p_; o_ = o_ op v_; sv_step(); *(SV_V(__typeof__(*p_)) *)p_ = o_; o_; })
/* A struct with the members a and b, one step for each. */
#define SV_RS(l) ({ __typeof__(&(l)) p_ = &(l); __typeof__(*p_) r_; sv_step(); r_.a = *(SV_V(__typeof__(p_->a)) *)&p_->a; \
    sv_step(); r_.b = *(SV_V(__typeof__(p_->b)) *)&p_->b; r_; })
#define SV_WS(l, v) ({ __typeof__(&(l)) p_ = &(l); __typeof__(*p_) r_ = (v); sv_step(); \
    *(SV_V(__typeof__(p_->a)) *)&p_->a = r_.a; sv_step(); *(SV_V(__typeof__(p_->b)) *)&p_->b = r_.b; (void)0; })
/* Operations that are one step on what the first argument is the address of. */
#define SV_A1(op, p) ({ __auto_type p_ = (p); sv_step(); op(p_); })
#define SV_A2(op, p, v) ({ __auto_type p_ = (p); __auto_type v_ = (v); sv_step(); op(p_, v_); })
#define SV_A3(op, p, e, v) ({ __auto_type p_ = (p); __auto_type e_ = (e); __auto_type v_ = (v); sv_step(); op(p_, e_, v_); })
#define SV_O2(op, p) ({ __auto_type p_ = (p); sv_step(); op(p_, __ATOMIC_SEQ_CST); })
#define SV_O3(op, p, v) ({ __auto_type p_ = (p); __auto_type v_ = (v); sv_step(); op(p_, v_, __ATOMIC_SEQ_CST); })
#define SV_AM(l, op, v) ({ __auto_type p_ = &(l); __auto_type v_ = (v); sv_step(); *p_ op v_; })
#define SV_WEAK(p, e, v) ({ __auto_type p_ = (p); __auto_type e_ = (e); __auto_type v_ = (v); sv_step(); \
    atomic_load(p_) == *e_ && sv_choose(2) ? 0 : atomic_compare_exchange_strong(p_, e_, v_); })
#define SV_DIV(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); if (b_ == 0) sv_stop(); a_ / b_; })
/* What a pointer to memory that is used again points to: the thread stops if that is dead. */
#define SV_RP(p) ({ __auto_type p_ = (p); sv_step(); sv_live(p_); *(SV_V(__typeof__(*p_)) *)p_; })
#define SV_WP(p, v) ({ __auto_type p_ = (p); __typeof__(*p_) v_ = (v); sv_step(); sv_live(p_); *(SV_V(__typeof__(*p_)) *)p_ = v_; v_; })
/* Bit-fields of one cell: a store reads it and writes it. */
#define SV_BR(s, f) ({ sv_step(); __typeof__(s) o_ = s; o_.f; })
#define SV_BW(s, f, v) ({ __auto_type v_ = (v); sv_step(); __typeof__(s) o_ = s; o_.f = v_; sv_step(); s = o_; (void)0; })
#define SV_CALL(f, a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); f(a_, b_); })
#define SV_ASSERT(e) do { if (!(e)) sv_fail(); } while (0)
#define SV_ASSUME(e) do { if (!(e)) sv_stop(); } while (0)

static void sv_begin(void)
{
    if (sv.section != sv.me)
        sv_step();
    sv.section = sv.me;
    sv.depth++;
}

static void sv_end(void)
{
    if (sv.section == sv.me && --sv.depth == 0)
        sv.section = -1;
}

/* Threads. A handle is the number of the thread, from 1. */

static int sv_alive(void)
{
    int count = 0;
    for (int i = 0; i < sv.created; i++)
        count += sv.threads[i].state == SV_ALIVE || sv.threads[i].state == SV_STUCK;
    return count;
}

static __attribute__((noreturn)) void sv_end_thread(void *result)
{
    sv_thread *me = &sv.threads[sv.me];
    while (me->cleanups) {
        sv_cleanup *cleanup = me->cleanups;
        me->cleanups = cleanup->next;
        cleanup->routine(cleanup->argument);
    }
    for (int turn = 0, again = 1; again && turn < 4; turn++) {
        again = 0;
        for (int key = 0; key < sv.keys; key++) {
            void *value = me->values[key];
            if (!value)
                continue;
            sv_step();
            void (*destructor)(void *) = sv.destructors[key];
            if (!destructor)
                continue;
            me->values[key] = 0;
            destructor(value);
            again = 1;
        }
    }
    me->result = result;
    me->state = SV_ENDED;
    if (sv.section == sv.me) {
        sv.section = -1;
        sv.depth = 0;
    }
    for (;;)
        sv_yield(SV_STEP);
}

static void sv_entry(void)
{
    sv_thread *me = &sv.threads[sv.me];
    sv_end_thread(me->start(me->argument));
}

static void sv_start(int index, void *(*start)(void *), void *argument)
{
    sv_thread *thread = &sv.threads[index];
    memset(thread, 0, sizeof *thread);
    thread->state = SV_ALIVE;
    thread->start = start;
    thread->argument = argument;
#if defined __x86_64__
    void **top = (void **)(sv_stacks[index] + SV_STACK);
    *--top = 0; /* a return address that is never used keeps the stack aligned as after a call */
    *--top = (void *)sv_entry;
    for (int i = 0; i < SV_SAVED; i++)
        *--top = 0;
    thread->sp = top;
#else
    char *top = sv_stacks[index] + SV_STACK - 160;
    memset(top, 0, 160);
    *(void **)(top + 88) = (void *)sv_entry;
    thread->sp = top;
#endif
}

static int sv_create(unsigned long *handle, const void *attributes, void *(*start)(void *), void *argument)
{
    (void)attributes;
    sv_step();
    if (sv_alive() >= sv_bound)
        sv_blocked();
    if (sv.created == SV_THREADS)
        sv_yield(SV_UNSUITABLE);
    sv_start(sv.created++, start, argument);
    *handle = (unsigned long)sv.created;
    return 0;
}

static int sv_join(unsigned long handle, void **result)
{
    sv_step();
    if (handle == (unsigned long)sv.me + 1)
        return 35;
    if (handle == 0 || handle > (unsigned long)sv.created)
        sv_stop();
    sv_thread *thread = &sv.threads[handle - 1];
    if (thread->state == SV_JOINED || thread->detached)
        sv_stop();
    if (thread->state != SV_ENDED)
        sv_blocked();
    thread->state = SV_JOINED;
    if (result)
        *result = thread->result;
    return 0;
}

static int sv_detach(unsigned long handle)
{
    sv_step();
    if (handle == 0 || handle > (unsigned long)sv.created)
        sv_stop();
    sv_thread *thread = &sv.threads[handle - 1];
    if (thread->state == SV_JOINED || thread->detached)
        sv_stop();
    thread->detached = 1;
    return 0;
}

/* Functions that `exit` calls, the last one first. */
static int sv_atexit(void (*handler)(void))
{
    sv_step();
    if (sv.registered == SV_HANDLERS)
        sv_yield(SV_UNSUITABLE);
    sv.handlers[sv.registered++] = handler;
    return 0;
}

static void sv_finish(void)
{
    for (;;) {
        sv_step();
        if (sv.registered == 0)
            return;
        sv.handlers[--sv.registered]();
    }
}

static unsigned long sv_self(void) { return (unsigned long)sv.me + 1; }

/* Mutexes and spin locks. */

typedef struct { unsigned char kind, owner, count; } sv_mutex;

/* The kind of a mutex that was destroyed: every use of it stops the thread. */
enum { SV_DESTROYED = 9 };

static void sv_usable(const sv_mutex *mutex)
{
    if (mutex->kind == SV_DESTROYED)
        sv_stop();
}

static void sv_own(sv_mutex *mutex)
{
    mutex->owner = (unsigned char)(sv.me + 1);
    mutex->count = 1;
}

static int sv_lock_again(sv_mutex *mutex, int is_try)
{
    int mine = mutex->owner == sv.me + 1;
    if (mine && mutex->kind == 1) {
        mutex->count++;
        return 0;
    }
    return mine && mutex->kind == 2 && !is_try ? 35 : 16;
}

static int sv_lock(sv_mutex *mutex)
{
    sv_step();
    sv_usable(mutex);
    if (mutex->owner == 0)
        return sv_own(mutex), 0;
    int code = sv_lock_again(mutex, 0);
    if (code == 16)
        sv_blocked();
    return code;
}

static int sv_trylock(sv_mutex *mutex)
{
    sv_step();
    sv_usable(mutex);
    if (mutex->owner == 0)
        return sv_own(mutex), 0;
    return sv_lock_again(mutex, 1);
}

static int sv_timedlock(sv_mutex *mutex, const struct timespec *until)
{
    (void)until;
    sv_step();
    sv_usable(mutex);
    if (mutex->owner == 0)
        return sv_own(mutex), 0;
    int code = sv_lock_again(mutex, 0);
    return code == 16 ? 110 : code;
}

static int sv_release(sv_mutex *mutex)
{
    sv_usable(mutex);
    if (mutex->owner != sv.me + 1) {
        if (mutex->kind)
            return 1;
        sv_stop();
    }
    if (--mutex->count == 0)
        mutex->owner = 0;
    return 0;
}

static int sv_unlock(sv_mutex *mutex)
{
    sv_step();
    return sv_release(mutex);
}

static int sv_mutex_init(sv_mutex *mutex, const int *attributes)
{
    sv_step();
    if (mutex->owner)
        sv_stop();
    memset(mutex, 0, sizeof *mutex);
    mutex->kind = (unsigned char)(attributes && *attributes != 3 ? *attributes : 0);
    return 0;
}

static int sv_mutex_destroy(sv_mutex *mutex)
{
    sv_step();
    sv_usable(mutex);
    if (mutex->owner)
        return 16;
    mutex->kind = SV_DESTROYED;
    return 0;
}

/* Condition variables: a sleeper may always wake, so that a signal changes nothing. */

typedef struct { char destroyed; } sv_cond;

static int sv_wait(sv_cond *cond, sv_mutex *mutex)
{
    sv_step();
    if (cond->destroyed)
        sv_stop();
    int code = sv_release(mutex);
    if (code)
        return code;
    sv_step();
    sv_usable(mutex);
    if (mutex->owner)
        sv_blocked();
    sv_own(mutex);
    return 0;
}

static int sv_timedwait(sv_cond *cond, sv_mutex *mutex, const struct timespec *until)
{
    (void)until;
    int code = sv_wait(cond, mutex);
    return code ? code : sv_choose(2) ? 110 : 0;
}

/* Nobody waits for it. */
static int sv_cond_destroy(sv_cond *cond)
{
    sv_step();
    if (cond->destroyed)
        sv_stop();
    cond->destroyed = 1;
    return 0;
}

static int sv_signal(sv_cond *cond)
{
    sv_step();
    if (cond->destroyed)
        sv_stop();
    return 0;
}

static int sv_cond_init(sv_cond *cond, const void *attributes)
{
    (void)attributes;
    sv_step();
    cond->destroyed = 0;
    return 0;
}

/* Read-write locks. */

typedef struct { unsigned char writer, readers[SV_THREADS], destroyed; } sv_rwlock;

static int sv_readers(const sv_rwlock *lock)
{
    int count = 0;
    for (int i = 0; i < SV_THREADS; i++)
        count += lock->readers[i];
    return count;
}

/* How a lock is asked for; the numbers are what is returned where it is not given. */
enum { SV_WAIT = 0, SV_TRY = 16, SV_TIMED = 110 };

static int sv_read(sv_rwlock *lock, int mode)
{
    sv_step();
    if (lock->destroyed)
        sv_stop();
    if (lock->writer == sv.me + 1 && mode != SV_TRY)
        return 35;
    if (lock->writer) {
        if (mode)
            return mode;
        sv_blocked();
    }
    lock->readers[sv.me]++;
    return 0;
}

static int sv_write(sv_rwlock *lock, int mode)
{
    sv_step();
    if (lock->destroyed)
        sv_stop();
    if (lock->writer == sv.me + 1 && mode != SV_TRY)
        return 35;
    if (lock->writer || sv_readers(lock)) {
        if (mode)
            return mode;
        sv_blocked();
    }
    lock->writer = (unsigned char)(sv.me + 1);
    return 0;
}

static int sv_rdlock(sv_rwlock *lock) { return sv_read(lock, SV_WAIT); }
static int sv_tryrdlock(sv_rwlock *lock) { return sv_read(lock, SV_TRY); }
static int sv_timedrdlock(sv_rwlock *lock, const struct timespec *until) { return (void)until, sv_read(lock, SV_TIMED); }
static int sv_wrlock(sv_rwlock *lock) { return sv_write(lock, SV_WAIT); }
static int sv_trywrlock(sv_rwlock *lock) { return sv_write(lock, SV_TRY); }
static int sv_timedwrlock(sv_rwlock *lock, const struct timespec *until) { return (void)until, sv_write(lock, SV_TIMED); }

static int sv_rwlock_init(sv_rwlock *lock, const void *attributes)
{
    (void)attributes;
    sv_step();
    if (lock->writer || sv_readers(lock))
        sv_stop();
    lock->destroyed = 0;
    return 0;
}

static int sv_rwlock_destroy(sv_rwlock *lock)
{
    sv_step();
    if (lock->destroyed)
        sv_stop();
    if (lock->writer || sv_readers(lock))
        return 16;
    lock->destroyed = 1;
    return 0;
}

static int sv_rwunlock(sv_rwlock *lock)
{
    sv_step();
    if (lock->destroyed)
        sv_stop();
    if (lock->writer == sv.me + 1)
        lock->writer = 0;
    else if (lock->readers[sv.me])
        lock->readers[sv.me]--;
    else
        sv_stop();
    return 0;
}

/* Semaphores, barriers, once, keys. */

typedef struct { unsigned value, destroyed; } sv_sem;

/* Before every use. */
static void sv_sem_step(const sv_sem *sem)
{
    sv_step();
    if (sem->destroyed)
        sv_stop();
}

static int sv_sem_init(sv_sem *sem, int shared, unsigned value)
{
    (void)shared;
    sv_step();
    sem->destroyed = 0;
    sem->value = value;
    return 0;
}

static int sv_sem_wait(sv_sem *sem)
{
    sv_sem_step(sem);
    if (sem->value == 0)
        sv_blocked();
    sem->value--;
    return 0;
}

static int sv_sem_trywait(sv_sem *sem)
{
    sv_sem_step(sem);
    if (sem->value == 0)
        return errno = EAGAIN, -1;
    sem->value--;
    return 0;
}

static int sv_sem_timedwait(sv_sem *sem, const struct timespec *until)
{
    (void)until;
    sv_sem_step(sem);
    if (sem->value == 0)
        return errno = ETIMEDOUT, -1;
    sem->value--;
    return 0;
}

static int sv_sem_destroy(sv_sem *sem)
{
    sv_sem_step(sem);
    sem->destroyed = 1;
    return 0;
}

static int sv_sem_post(sv_sem *sem)
{
    sv_sem_step(sem);
    sem->value++;
    return 0;
}

static int sv_sem_getvalue(sv_sem *sem, int *value)
{
    sv_sem_step(sem);
    *value = (int)sem->value;
    return 0;
}

typedef struct { unsigned count, arrived; } sv_barrier;

static int sv_barrier_init(sv_barrier *barrier, const void *attributes, unsigned count)
{
    (void)attributes;
    sv_step();
    if (count == 0)
        return 22;
    if (barrier->arrived)
        sv_stop();
    barrier->count = count;
    return 0;
}

static int sv_barrier_destroy(sv_barrier *barrier)
{
    sv_step();
    if (barrier->count == 0)
        sv_stop();
    if (barrier->arrived)
        return 16;
    barrier->count = 0;
    return 0;
}

/* Any one of those who leave together is told that it is the one. */
static int sv_barrier_wait(sv_barrier *barrier)
{
    sv_thread *me = &sv.threads[sv.me];
    sv_step();
    if (barrier->count == 0)
        sv_stop();
    if (barrier->arrived + 1 < barrier->count) {
        barrier->arrived++;
        me->barrier = barrier;
        sv_step();
        if (me->barrier)
            sv_blocked();
        return me->is_serial ? -1 : 0;
    }
    int serial = sv_choose((int)barrier->arrived + 1), found = 0;
    barrier->arrived = 0;
    for (int i = 0; i < sv.created; i++) {
        if (sv.threads[i].barrier != barrier)
            continue;
        sv.threads[i].barrier = 0;
        sv.threads[i].is_serial = ++found == serial;
    }
    return serial ? 0 : -1;
}

static int sv_once(int *flag, void (*function)(void))
{
    sv_step();
    if (*flag == 1)
        sv_blocked();
    if (*flag == 2)
        return 0;
    *flag = 1;
    function();
    sv_step();
    *flag = 2;
    return 0;
}

static int sv_key_create(unsigned *key, void (*destructor)(void *))
{
    if (sv.keys == SV_KEYS)
        sv_yield(SV_UNSUITABLE);
    *key = (unsigned)sv.keys;
    sv.destructors[sv.keys++] = destructor;
    return 0;
}

static int sv_setspecific(unsigned key, const void *value)
{
    sv.threads[sv.me].values[key] = (void *)value;
    return 0;
}

static void *sv_getspecific(unsigned key) { return sv.threads[sv.me].values[key]; }

static int sv_key_delete(unsigned key)
{
    sv_step();
    sv.destructors[key] = 0;
    return 0;
}

/* C11: the same with other results. */

static int sv_c11(int code) { return code == 0 ? 0 : code == 16 ? 1 : code == 110 ? 4 : 2; }
static int sv_mtx_init(sv_mutex *mutex, int kind) { return kind &= 1, sv_c11(sv_mutex_init(mutex, &kind)); }
static int sv_mtx_lock(sv_mutex *mutex) { return sv_c11(sv_lock(mutex)); }
static int sv_mtx_trylock(sv_mutex *mutex) { return sv_c11(sv_trylock(mutex)); }
static int sv_mtx_timedlock(sv_mutex *mutex, const struct timespec *until) { return sv_c11(sv_timedlock(mutex, until)); }
static int sv_mtx_unlock(sv_mutex *mutex) { return sv_c11(sv_unlock(mutex)); }
static int sv_cnd_timedwait(sv_cond *cond, sv_mutex *mutex, const struct timespec *until) { return sv_c11(sv_timedwait(cond, mutex, until)); }

static int sv_thrd_create(unsigned long *handle, int (*start)(void *), void *argument)
{
    /* The result is the lower half of a word. */
    return sv_create(handle, 0, (void *(*)(void *))start, argument);
}

static int sv_thrd_join(unsigned long handle, int *result)
{
    void *value = 0;
    int code = sv_c11(sv_join(handle, &value));
    if (code == 0 && result)
        *result = (int)(long)value;
    return code;
}

/* Memory is never used again: no program compares addresses of the dead. */
static void *sv_malloc(size_t size)
{
    if (sv.used + size + 16 > SV_HEAP)
        sv_yield(SV_UNSUITABLE);
    void *object = sv_heap + sv.used;
    memset(object, 0, size);
    sv.used = (sv.used + size + 15) & ~(size_t)15;
    return object;
}

static void sv_free(void *object) { (void)object; }

static void *sv_calloc(size_t count, size_t size) { return sv_malloc(count * size); }
static void *sv_aligned_alloc(size_t alignment, size_t size) { return (void)alignment, sv_malloc(size); }

static char *sv_strndup(const char *text, size_t limit)
{
    size_t length = strnlen(text, limit);
    char *copy = sv_malloc(length + 1);
    memcpy(copy, text, length);
    return copy;
}

static char *sv_strdup(const char *text) { return sv_strndup(text, strlen(text)); }

/* Memory that is used again: a new address, or by choice that of any dead block. Both are steps. */
static void *sv_new(size_t size)
{
    sv_step();
    int dead = 0;
    for (int i = 0; i < sv.given; i++)
        dead += sv.dead[i];
    for (int choice = dead ? sv_choose(dead + 1) : 0, i = 0; choice && i < sv.given; i++) {
        if (sv.dead[i] && --choice == 0) {
            sv.dead[i] = 0;
            memset(sv.blocks[i], 0, SV_BLOCK);
            return sv.blocks[i];
        }
    }
    if (sv.given == SV_BLOCKS || size > SV_BLOCK)
        sv_yield(SV_UNSUITABLE);
    return sv.blocks[sv.given++] = sv_malloc(SV_BLOCK);
}

/* The number of the block that begins at an address and is not dead. */
static int sv_block(const void *object)
{
    for (int i = 0; i < sv.given; i++)
        if (sv.blocks[i] == object && !sv.dead[i])
            return i;
    return -1;
}

static void sv_live(const void *object)
{
    if (sv_block(object) < 0)
        sv_stop();
}

static void sv_delete(void *object)
{
    sv_step();
    if (!object)
        return;
    sv_live(object);
    sv.dead[sv_block(object)] = 1;
}

/* Values of inputs and external functions, from 0 to below `count`. */
static void sv_fill(unsigned char *cells, int length, int count)
{
    for (int i = 0; i < length; i++)
        cells[i] = (unsigned char)sv_choose(count);
}

static time_t sv_time(time_t *where)
{
    time_t now = sv_choose(2);
    if (where)
        *where = now;
    return now;
}

/* As BSD has them. Not every system's library does. */
static size_t sv_strlcpy(char *to, const char *from, size_t size) { return (size_t)snprintf(to, size, "%s", from); }

static size_t sv_strlcat(char *to, const char *from, size_t size)
{
    size_t length = strnlen(to, size);
    return length + sv_strlcpy(to + length, from, size - length);
}

/* The search. */

typedef struct {
    const char *name;
    int (*start)(void);
    char *data, *end;
} sv_program;

typedef struct {
    char *copy;
    int kind, next, count, thread;
} sv_node;

static sv_node *sv_nodes;
static size_t sv_depth, sv_most;
static uint64_t (*sv_seen)[2];
static size_t sv_mask, sv_count;
/* Whether something was left out: a thread too many, or more memory than there is. */
static int sv_partial;

static void *sv_main(void *program)
{
    ((sv_program *)program)->start();
    sv_exit();
    return 0;
}

/* Calls `visit` with each part of the state. */
typedef void sv_visit(char *part, size_t size, void *context);

static void sv_parts(const sv_program *program, sv_visit *visit, void *context)
{
    visit((char *)&sv, sizeof sv, context);
    visit(program->data, (size_t)(program->end - program->data), context);
    visit(sv_heap, sv.used, context);
    for (int i = 0; i < sv.created; i++) {
        if (sv.threads[i].state == SV_ALIVE || sv.threads[i].state == SV_STUCK) {
            char *sp = sv.threads[i].sp;
            visit(sp, (size_t)(sv_stacks[i] + SV_STACK - sp), context);
        }
    }
}

static void sv_measure(char *part, size_t size, void *context)
{
    (void)part;
    *(size_t *)context += size;
}

static void sv_save(char *part, size_t size, void *context)
{
    memcpy(*(char **)context, part, size);
    *(char **)context += size;
}

static void sv_load(char *part, size_t size, void *context)
{
    memcpy(part, *(char **)context, size);
    *(char **)context += size;
}

static void sv_hash(char *part, size_t size, void *context)
{
    uint64_t *hash = context;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, part + i, size - i < 8 ? size - i : 8);
        hash[0] = (hash[0] ^ word) * 0x9e3779b97f4a7c15u;
        hash[0] ^= hash[0] >> 29;
        hash[1] = (hash[1] + word) * 0xc2b2ae3d27d4eb4fu;
        hash[1] ^= hash[1] >> 31;
    }
}

/* Whether the state is new. */
static int sv_is_new(const sv_program *program)
{
    uint64_t hash[2] = {(uint64_t)sv_reason + 1, (uint64_t)sv_number};
    sv_parts(program, sv_hash, hash);
    size_t at = hash[0] & sv_mask;
    while (sv_seen[at][0] | sv_seen[at][1]) {
        if (sv_seen[at][0] == hash[0] && sv_seen[at][1] == hash[1])
            return 0;
        at = (at + 1) & sv_mask;
    }
    sv_seen[at][0] = hash[0];
    sv_seen[at][1] = hash[1];
    sv_count++;
    return 1;
}

static void sv_push(const sv_program *program)
{
    size_t size = 0;
    sv_parts(program, sv_measure, &size);
    sv_node *node = &sv_nodes[sv_depth++];
    char *at = node->copy = malloc(size);
    sv_parts(program, sv_save, &at);
    node->kind = sv_reason;
    node->next = 0;
    node->count = sv_reason == SV_CHOICE ? sv_number : sv.created;
    node->thread = sv.me;
}

static void sv_pop(void) { free(sv_nodes[--sv_depth].copy); }

/* What the program says: 'f' an assertion fails in a schedule, 's' in none, 'm' too many states, 'u' some were left out. */
static char sv_search(const sv_program *program)
{
    sv_reason = SV_STEP;
    sv_number = 0;
    sv_is_new(program);
    sv_push(program);
    while (sv_depth) {
        sv_node *node = &sv_nodes[sv_depth - 1];
        if (node->next == node->count) {
            sv_pop();
            continue;
        }
        int choice = node->next++;
        char *at = node->copy;
        sv_load((char *)&sv, sizeof sv, &at);
        at = node->copy;
        sv_parts(program, sv_load, &at);
        if (node->kind == SV_STEP) {
            if (sv.threads[choice].state != SV_ALIVE || (sv.section >= 0 && sv.section != choice))
                continue;
            sv.me = choice;
        } else {
            sv_chosen = choice;
        }
        sv_number = 0;
        sv_switch(&sv_scheduler, sv.threads[sv.me].sp);
        if (sv_reason == SV_FAILED)
            return 'f';
        sv_partial |= sv_reason == SV_UNSUITABLE;
        if (sv_reason == SV_UNSUITABLE || sv_reason == SV_BLOCKED || sv_reason == SV_HALTED || !sv_is_new(program))
            continue;
        if (sv_count >= sv_most)
            return 'm';
        sv_push(program);
    }
    return sv_partial ? 'u' : 's';
}

static void sv_crash(int signal) { siglongjmp(sv_crashed, signal); }

static char sv_judge(sv_program *program, int bound, const char *first)
{
    size_t size = (size_t)(program->end - program->data);
    memcpy(program->data, first, size);
    memset(&sv, 0, sizeof sv);
    memset(sv_seen, 0, (sv_mask + 1) * sizeof *sv_seen);
    sv.section = -1;
    sv_bound = bound;
    sv_count = 0;
    sv_partial = 0;
    sv_start(0, sv_main, program);
    sv.created = 1;
    struct itimerval limit = {{0, 0}, {2, 0}}, none = {{0, 0}, {0, 0}};
    char verdict;
    int signal = sigsetjmp(sv_crashed, 1);
    if (signal == 0) {
        setitimer(ITIMER_REAL, &limit, 0);
        verdict = sv_search(program);
    } else {
        verdict = signal == SIGALRM ? 't' : 'c';
    }
    setitimer(ITIMER_REAL, &none, 0);
    while (sv_depth)
        sv_pop();
    return verdict;
}

/* Arguments: the most states. For each program a line with its name, and for each bound on the threads a verdict and the states. */
static int sv_judge_all(sv_program *programs, int length, int argc, char **argv)
{
    static char signals[1 << 16];
    stack_t other = {.ss_sp = signals, .ss_size = sizeof signals};
    sigaltstack(&other, 0);
    struct sigaction action = {.sa_handler = sv_crash, .sa_flags = SA_ONSTACK};
    sigaction(SIGALRM, &action, 0);
    sigaction(SIGSEGV, &action, 0);
    sigaction(SIGBUS, &action, 0);
    sigaction(SIGFPE, &action, 0);
    sigaction(SIGILL, &action, 0);
    sigaction(SIGABRT, &action, 0);
    FILE *out = fdopen(dup(1), "w");
    freopen("/dev/null", "w", stdout);
    sv_most = argc > 1 ? strtoul(argv[1], 0, 10) : 50000;
    for (sv_mask = 1; sv_mask < 3 * sv_most; sv_mask = 2 * sv_mask)
        ;
    sv_mask--;
    sv_seen = calloc(sv_mask + 1, sizeof *sv_seen);
    sv_nodes = calloc(sv_most + 2, sizeof *sv_nodes);
    for (int i = 0; i < length; i++) {
        size_t size = (size_t)(programs[i].end - programs[i].data);
        char *first = malloc(size + 1);
        memcpy(first, programs[i].data, size);
        fprintf(out, "%s", programs[i].name);
        for (int bound = 2; bound <= 4; bound++) {
            char verdict = sv_judge(&programs[i], bound, first);
            fprintf(out, " %c%zu", verdict, sv_count);
        }
        fprintf(out, "\n");
        fflush(out);
        free(first);
    }
    return 0;
}

#define SV_CLEANUP_PUSH(f, x) do { sv_cleanup cleanup_ = {(f), (x), sv.threads[sv.me].cleanups}; \
    sv.threads[sv.me].cleanups = &cleanup_
#define SV_CLEANUP_POP(execute) int execute_ = (execute); sv.threads[sv.me].cleanups = cleanup_.next; \
    if (execute_) cleanup_.routine(cleanup_.argument); } while (0)

#define pthread_t unsigned long
#define pthread_mutex_t sv_mutex
#define pthread_mutexattr_t int
#define pthread_spinlock_t sv_mutex
#define pthread_cond_t sv_cond
#define pthread_rwlock_t sv_rwlock
#define pthread_barrier_t sv_barrier
#define pthread_once_t int
#define pthread_key_t unsigned
#define sem_t sv_sem
#define mtx_t sv_mutex
#define cnd_t sv_cond
#define thrd_t unsigned long
#define tss_t unsigned
#define once_flag int
enum { mtx_plain, mtx_recursive, mtx_timed };
enum { thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout };
#define ONCE_FLAG_INIT 0
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_DEFAULT 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_INITIALIZER {0, 0, 0}
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP {1, 0, 0}
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP {2, 0, 0}
#define PTHREAD_COND_INITIALIZER {0}
#define PTHREAD_RWLOCK_INITIALIZER {0, {0}, 0}
#define PTHREAD_ONCE_INIT 0
#define PTHREAD_BARRIER_SERIAL_THREAD -1
#define pthread_create sv_create
#define pthread_join sv_join
#define pthread_detach sv_detach
#define pthread_exit sv_end_thread
#define pthread_self sv_self
#define thrd_create sv_thrd_create
#define thrd_join sv_thrd_join
#define thrd_detach sv_detach
#define thrd_exit(value) sv_end_thread((void *)(long)(value))
#define thrd_current sv_self
#define thrd_equal(a, b) ((a) == (b))
#define mtx_init sv_mtx_init
#define mtx_destroy sv_mutex_destroy
#define mtx_lock sv_mtx_lock
#define mtx_trylock sv_mtx_trylock
#define mtx_timedlock sv_mtx_timedlock
#define mtx_unlock sv_mtx_unlock
#define cnd_init(c) sv_cond_init(c, 0)
#define cnd_destroy sv_cond_destroy
#define cnd_wait sv_wait
#define cnd_timedwait sv_cnd_timedwait
#define cnd_signal sv_signal
#define cnd_broadcast sv_signal
#define call_once sv_once
#define tss_create sv_key_create
#define tss_set sv_setspecific
#define tss_get sv_getspecific
#define tss_delete sv_key_delete
#define pthread_equal(a, b) ((a) == (b))
#define pthread_mutex_init sv_mutex_init
#define pthread_mutexattr_init(a) (*(a) = 0)
#define pthread_mutexattr_settype(a, kind) (*(a) = (kind))
#define pthread_mutexattr_gettype(a, kind) (*(kind) = *(a), 0)
#define pthread_mutexattr_destroy(a) ((void)(a), 0)
#define pthread_mutex_destroy sv_mutex_destroy
#define pthread_mutex_clocklock(m, clock, until) sv_timedlock(m, until)
#define pthread_mutex_lock sv_lock
#define pthread_mutex_trylock sv_trylock
#define pthread_mutex_timedlock sv_timedlock
#define pthread_mutex_unlock sv_unlock
#define pthread_spin_init(l, shared) sv_mutex_init(l, 0)
#define pthread_spin_destroy sv_mutex_destroy
#define pthread_spin_lock sv_lock
#define pthread_spin_trylock sv_trylock
#define pthread_spin_unlock sv_unlock
#define pthread_cond_init sv_cond_init
#define pthread_cond_destroy sv_cond_destroy
#define pthread_cond_clockwait(c, m, clock, until) sv_timedwait(c, m, until)
#define pthread_cond_wait sv_wait
#define pthread_cond_timedwait sv_timedwait
#define pthread_cond_signal sv_signal
#define pthread_cond_broadcast sv_signal
#define pthread_rwlock_init sv_rwlock_init
#define pthread_rwlock_destroy sv_rwlock_destroy
#define pthread_rwlock_timedrdlock sv_timedrdlock
#define pthread_rwlock_timedwrlock sv_timedwrlock
#define pthread_rwlock_rdlock sv_rdlock
#define pthread_rwlock_tryrdlock sv_tryrdlock
#define pthread_rwlock_wrlock sv_wrlock
#define pthread_rwlock_trywrlock sv_trywrlock
#define pthread_rwlock_unlock sv_rwunlock
#define pthread_barrier_init sv_barrier_init
#define pthread_barrier_destroy sv_barrier_destroy
#define pthread_barrier_wait sv_barrier_wait
#define pthread_once sv_once
#define pthread_key_create sv_key_create
#define pthread_key_delete sv_key_delete
#define pthread_setspecific sv_setspecific
#define pthread_getspecific sv_getspecific
#define pthread_cleanup_push SV_CLEANUP_PUSH
#define pthread_cleanup_pop SV_CLEANUP_POP
#define sem_init sv_sem_init
#define sem_wait sv_sem_wait
#define sem_trywait sv_sem_trywait
#define sem_timedwait sv_sem_timedwait
#define sem_clockwait(s, clock, until) sv_sem_timedwait(s, until)
#define sem_destroy sv_sem_destroy
#define sem_post sv_sem_post
#define sem_getvalue sv_sem_getvalue
#define malloc sv_malloc
#define free sv_free
#define cfree sv_free
#define calloc sv_calloc
#define valloc sv_malloc
#define aligned_alloc sv_aligned_alloc
#define memalign sv_aligned_alloc
#define strdup sv_strdup
#define strndup sv_strndup
#define atexit sv_atexit
#define _exit(code) sv_exit()
#define _Exit(code) sv_exit()
#define quick_exit(code) sv_exit()
#define abort() sv_exit()
#define time sv_time
#define exit(code) sv_exit()
#define assert SV_ASSERT
#define reach_error sv_fail
#define __VERIFIER_error sv_fail
#define __SMACK_error sv_fail
#undef __assert_fail
#define __assert_fail(text, file, line, function) sv_fail()
#define __assert(text, file, line) sv_fail()
#define __assert_rtn(function, file, line, text) sv_fail()
#define __assert_perror_fail(number, file, line, function) sv_fail()
#define __VERIFIER_assert SV_ASSERT
#define __CPROVER_assert(e, text) SV_ASSERT(e)
#define __ESBMC_assert(e, text) SV_ASSERT(e)
#define __goblint_assert SV_ASSERT
#define __goblint_check SV_ASSERT
#define __CPROVER_assume SV_ASSUME
#define __ESBMC_assume(e) SV_ASSUME(e)
#define __SMACK_assume SV_ASSUME
#define __goblint_assume SV_ASSUME
#define assume_abort_if_not SV_ASSUME
#define assume SV_ASSUME
#define __CPROVER_atomic_begin sv_begin
#define __CPROVER_atomic_end sv_end
#define __ESBMC_atomic_begin sv_begin
#define __ESBMC_atomic_end sv_end
#define __SMACK_atomic_begin sv_begin
#define __SMACK_atomic_end sv_end
#define strlcpy sv_strlcpy
#define strlcat sv_strlcat
#define __VERIFIER_assume SV_ASSUME
#define __VERIFIER_atomic_begin sv_begin
#define __VERIFIER_atomic_end sv_end
