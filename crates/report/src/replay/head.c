// One failing run, as a program. Compile with `cc -pthread` and run: the assertion fails every time.
// Each thread executes its steps of the run; sv_turn says who may go on.
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
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

