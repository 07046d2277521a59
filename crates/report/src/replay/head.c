// One failing run, as a program. Compile with `cc -pthread` and run: it fails every time. Each thread
// executes its steps of the run; sv_turn says who may go on. With `-fsanitize=thread` a data race is reported,
// with `-fsanitize=address` memory is freed where the run frees it.
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef uint64_t u64;
typedef int64_t i64;
typedef uintptr_t uptr;
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 u128;
typedef __int128 i128;
#else
typedef uint64_t u128;
typedef int64_t i128;
#endif
// Cells of memory may be read as other types than those that were declared.
typedef volatile uint8_t __attribute__((may_alias)) m8;
typedef volatile uint16_t __attribute__((may_alias)) m16;
typedef volatile uint32_t __attribute__((may_alias)) m32;
typedef volatile uint64_t __attribute__((may_alias)) m64;
typedef volatile u128 __attribute__((may_alias, aligned(1))) m128;
typedef volatile uptr __attribute__((may_alias)) mptr;
typedef volatile float __attribute__((may_alias)) mf32;
typedef volatile double __attribute__((may_alias)) mf64;

#ifdef __SANITIZE_ADDRESS__
#define SV_ADDRESSES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SV_ADDRESSES 1
#endif
#endif
#ifndef SV_ADDRESSES
#define SV_ADDRESSES 0
#endif

// Without a sanitizer memory is not freed: it would be used again where the run does not.
static void sv_free(uptr at) { if (SV_ADDRESSES) free((void *)at); }
static inline uptr sv_allocate(size_t count, size_t stride) { return (uptr)calloc(count ? count : 1, stride); }
// What ends by itself must not be freed: its address is none of the allocator's.
static inline uptr sv_allocate_automatic(size_t count, size_t stride) { return (uptr)calloc(1, count * stride + 16) + 16; }
static inline void sv_free_automatic(uptr at) { if (at) sv_free(at - 16); }

static pthread_mutex_t sv_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sv_cond = PTHREAD_COND_INITIALIZER;
static unsigned sv_turn;

static void sv_wait(unsigned turn)
{
    pthread_mutex_lock(&sv_mutex);
    while (sv_turn != turn) pthread_cond_wait(&sv_cond, &sv_mutex);
    pthread_mutex_unlock(&sv_mutex);
}

static void sv_pass(unsigned turn)
{
    pthread_mutex_lock(&sv_mutex);
    sv_turn = turn;
    pthread_cond_broadcast(&sv_cond);
    pthread_mutex_unlock(&sv_mutex);
}

static void sv_expect(int holds, unsigned step)
{
    if (holds) return;
    fprintf(stderr, "this is not the run: step %u goes another way\n", step);
    exit(3);
}

static inline u128 sv_div_u(u128 a, u128 b) { return b ? a / b : 0; }
static inline u128 sv_rem_u(u128 a, u128 b) { return b ? a % b : 0; }
static inline u128 sv_div_s(i128 a, i128 b) { return b == 0 ? 0 : b == -1 ? 0 - (u128)a : (u128)(a / b); }
static inline u128 sv_rem_s(i128 a, i128 b) { return b == 0 || b == -1 ? 0 : (u128)(a % b); }
static inline u128 sv_shl(u128 a, u128 n, unsigned width) { return n >= width ? 0 : a << n; }
static inline u128 sv_shr_u(u128 a, u128 n, unsigned width) { return n >= width ? 0 : a >> n; }
static inline u128 sv_shr_s(i128 a, u128 n, unsigned width) { return (u128)(n >= width ? a >> (width - 1) : a >> n); }
static inline i128 sv_signed(u128 a, unsigned width)
{
    unsigned unused = sizeof(u128) * 8 - width;
    return (i128)(a << unused) >> unused;
}
static inline float sv_f32(uint32_t bits) { union { uint32_t bits; float value; } it = { bits }; return it.value; }
static inline double sv_f64(uint64_t bits) { union { uint64_t bits; double value; } it = { bits }; return it.value; }
static inline uint32_t sv_b32(float value) { union { float value; uint32_t bits; } it = { value }; return it.bits; }
static inline uint64_t sv_b64(double value) { union { double value; uint64_t bits; } it = { value }; return it.bits; }

// The two accesses of a data race happen in one turn: nothing orders them.
#define SV_READ_1(at, n) (void)*(m8 *)(at)
#define SV_READ_2(at, n) (void)*(m16 *)(at)
#define SV_READ_4(at, n) (void)*(m32 *)(at)
#define SV_READ_8(at, n) (void)*(m64 *)(at)
#define SV_WRITE_1(at, n) *(m8 *)(at) = 0
#define SV_WRITE_2(at, n) *(m16 *)(at) = 0
#define SV_WRITE_4(at, n) *(m32 *)(at) = 0
#define SV_WRITE_8(at, n) *(m64 *)(at) = 0
#define SV_READ_MANY(at, n) sv_read_many(at, n)
#define SV_WRITE_MANY(at, n) sv_write_many(at, n)
#define SV_ATOMIC_READ_1(at, n) (void)__atomic_load_n((m8 *)(at), __ATOMIC_SEQ_CST)
#define SV_ATOMIC_READ_2(at, n) (void)__atomic_load_n((m16 *)(at), __ATOMIC_SEQ_CST)
#define SV_ATOMIC_READ_4(at, n) (void)__atomic_load_n((m32 *)(at), __ATOMIC_SEQ_CST)
#define SV_ATOMIC_READ_8(at, n) (void)__atomic_load_n((m64 *)(at), __ATOMIC_SEQ_CST)
#define SV_ATOMIC_READ_MANY(at, n) SV_ATOMIC_READ_1(at, n)
#define SV_ATOMIC_WRITE_1(at, n) __atomic_store_n((m8 *)(at), 0, __ATOMIC_SEQ_CST)
#define SV_ATOMIC_WRITE_2(at, n) __atomic_store_n((m16 *)(at), 0, __ATOMIC_SEQ_CST)
#define SV_ATOMIC_WRITE_4(at, n) __atomic_store_n((m32 *)(at), 0, __ATOMIC_SEQ_CST)
#define SV_ATOMIC_WRITE_8(at, n) __atomic_store_n((m64 *)(at), 0, __ATOMIC_SEQ_CST)
#define SV_ATOMIC_WRITE_MANY(at, n) SV_ATOMIC_WRITE_1(at, n)

// Word by word: a sanitizer remembers only a few accesses to each word.
static inline void sv_read_many(uptr at, size_t n)
{
    for (; n >= 8; at += 8, n -= 8) SV_READ_8(at, 8);
    for (; n > 0; at++, n--) SV_READ_1(at, 1);
}
static inline void sv_write_many(uptr at, size_t n)
{
    for (; n >= 8; at += 8, n -= 8) SV_WRITE_8(at, 8);
    for (; n > 0; at++, n--) SV_WRITE_1(at, 1);
}

// Both have happened when the second thread comes here. A relaxed operation orders nothing, either.
static inline void sv_raced(const char *says)
{
    static unsigned came;
    if (__atomic_fetch_add(&came, 1, __ATOMIC_RELAXED) == 0) for (;;) pause();
    fprintf(stderr, "%s\n", says);
    exit(1);
}

// Locks and semaphores are real ones. They lie beside the memory of the run, where they need not have the
// size that the model gives them. A lock that the run takes is free; nobody waits before the end.
struct sv_sync { uptr at; pthread_mutex_t mutex; pthread_rwlock_t rwlock; sem_t semaphore; };
static struct sv_sync *sv_sync(uptr at)
{
    static struct sv_sync all[4096];
    static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&guard);
    struct sv_sync *it = all;
    while (it->at && it->at != at) it++;
    it->at = at;
    pthread_mutex_unlock(&guard);
    return it;
}
static inline void sv_mutex_init(uptr at, int kind)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(&sv_sync(at)->mutex, &attributes);
}
static inline void sv_rwlock_init(uptr at) { pthread_rwlock_init(&sv_sync(at)->rwlock, 0); }
static inline void sv_sem_init(uptr at, unsigned value) { sem_init(&sv_sync(at)->semaphore, 0, value); }
static inline void sv_lock(uptr at) { pthread_mutex_lock(&sv_sync(at)->mutex); }
static inline void sv_trylock(uptr at) { pthread_mutex_trylock(&sv_sync(at)->mutex); }
static inline void sv_unlock(uptr at) { pthread_mutex_unlock(&sv_sync(at)->mutex); }
static inline void sv_rdlock(uptr at) { pthread_rwlock_rdlock(&sv_sync(at)->rwlock); }
static inline void sv_tryrdlock(uptr at) { pthread_rwlock_tryrdlock(&sv_sync(at)->rwlock); }
static inline void sv_wrlock(uptr at) { pthread_rwlock_wrlock(&sv_sync(at)->rwlock); }
static inline void sv_trywrlock(uptr at) { pthread_rwlock_trywrlock(&sv_sync(at)->rwlock); }
static inline void sv_rwunlock(uptr at) { pthread_rwlock_unlock(&sv_sync(at)->rwlock); }
static inline void sv_sem_wait(uptr at) { while (sem_wait(&sv_sync(at)->semaphore)) {} }
static inline void sv_sem_trywait(uptr at) { while (sem_trywait(&sv_sync(at)->semaphore) && errno == EINTR) {} }
static inline void sv_sem_post(uptr at) { sem_post(&sv_sync(at)->semaphore); }

// How a thread of a deadlock waits. Who sleeps, or waits at a barrier, for `pthread_once` or for a section
// stays where it is. glibc sees that two threads join each other, and would not wait.
static inline void sv_sleep(uptr unused) { (void)unused; for (;;) pause(); }
static inline void sv_join_thread(pthread_t thread) { if (pthread_join(thread, 0) == EDEADLK) sv_sleep(0); }
static inline void sv_moved(unsigned thread)
{
    fprintf(stderr, "this is not the run: thread %u need not wait\n", thread);
    exit(3);
}

struct sv_end { unsigned turn; const char *says; };
// Two seconds after the last turn nobody has moved: the threads wait for ever.
static inline void *sv_watch(void *end)
{
    sv_wait(((struct sv_end *)end)->turn);
    sleep(2);
    fprintf(stderr, "%s\n", ((struct sv_end *)end)->says);
    exit(1);
}
