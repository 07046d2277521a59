/* Constructs of C11 and GNU C that gcc accepts; nobody runs this. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

;
__asm__(".globl nothing");
extern int declared_only;
static int tentative;
static int tentative;
int tentative_array[];
extern int tentative_array[4];
static inline __attribute__((always_inline)) int inlined(int x) { return x; }
_Noreturn void stop(void);
__thread int tls;
static _Thread_local int tls2 = 4;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t mutexes[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
struct guarded { int x; pthread_mutex_t m; pthread_cond_t c; } guarded = { 1, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };
pthread_once_t once = PTHREAD_ONCE_INIT;
atomic_int counter = ATOMIC_VAR_INIT(0);
atomic_flag flag = ATOMIC_FLAG_INIT;
_Atomic(struct { int a; int b; }) pair;
int price$in$dollars = 1;
int größe;
static const int constant = 4;
int from_constant = constant + 1;
int *address = &guarded.x;
char *text = "x" "y", letters[] = { 'a', 'b', 0 };
void *table[] = { &address, (char *)&guarded + 4, stop, 0 };
const char *const names[] = { [1] = "one", [0] = "zero" };

int old_style(a, b, c)
    int a;
    char *b;
{
    return a + *b + c;
}

implicit_int(x) { return x; }
static implicit_object = 3;

int variadic(const char *format, ...) {
    va_list list, copy;
    va_start(list, format);
    va_copy(copy, list);
    int first = va_arg(list, int);
    double second = va_arg(list, double);
    vprintf(format, copy);
    va_end(list);
    return first + (int)second;
}

int computed(int n) {
    static void *targets[] = { &&one, &&two };
    goto *targets[n];
one:
    return 1;
two:
    return 2;
}

int assembler(int x) {
    int y;
    __asm__ __volatile__("" ::: "memory");
    asm volatile("mov %1, %0" : "=r"(y) : [in] "r"(x) : "cc");
    asm goto("" : : : : out);
out:
    return y;
}

int statements(int n) {
    int total = ({ int t = n; t += 1; t; });
    ({ total++; });
    __auto_type copy = total;
    typeof(total) other = copy;
    __extension__ int ext = __extension__ 3;
    switch (n) {
    case 0 ... 4:
        total = 1;
        __attribute__((fallthrough));
    case 10:
    case 11: {
        break;
    }
    default:;
    }
    for (int k = 0, j = 1; k < n; k++, j--)
        if (k) continue; else break;
    do total--; while (total > 0);
    while (1) { if (total++ > 3) goto end; }
end:
    {
        __label__ inner;
        goto inner;
    inner:;
    }
    return total ?: other + ext;
last:
}

void vla(int n, int m, int grid[n][m]) {
    int local[n], square[n][n];
    local[n - 1] = sizeof local + sizeof square[0];
    int (*row)[m] = grid;
    row++;
    grid[0][1] = row[0][0] + *(*(grid + 1) + 1);
}

struct point { int x, y; };
struct point make(int x) { return (struct point){ .y = x, .x = 1 }; }
union value { int i; float f; };

int aggregates(void) {
    struct point p = make(3), q = { p.x }, *r = &(struct point){ 1, 2 };
    int *list = (int[]){ 1, 2, 3 };
    struct { struct point a[2]; int : 3; unsigned bits : 5; } nested = { .a[1].y = 4, .bits = 31 };
    union value v = { .f = 1.0f }, w = (union value)3;
    nested.bits++;
    nested.a[0] = *r;
    p = q;
    return make(1).y + list[1] + nested.a[1].x + v.i + w.i + (p.x = 3) + sizeof(struct { char c; });
}

int warnings(void) {
    int *p = 5;
    int i = p;
    char *c = p;
    undeclared(i, c);
    unsigned u = undeclared_too();
    const char *s = "x";
    c = s;
    if (p == 1 || c == (void *)0) return;
    i = printf;
    void *f = warnings;
    f++;
    return sizeof(void) + sizeof(warnings);
}
void returns_value(void) { return warnings(); }

int builtins(int x) {
    if (__builtin_expect(!!(x), 0)) __builtin_unreachable();
    int r;
    if (__builtin_add_overflow(x, 1, &r) || __builtin_smull_overflow(1, 2, &(long){ 0 })) __builtin_trap();
    __builtin_prefetch(&x);
    char buffer[4];
    __builtin_memset(buffer, 0, sizeof buffer);
    char *more = __builtin_alloca(x);
    return __builtin_clz(x) + __builtin_popcountl(x) + __builtin_offsetof(struct point, y) + (more != 0) + __builtin_object_size(buffer, 0);
}

int atomics(int *p, long *q, char **s) {
    __sync_fetch_and_add(p, 1);
    __sync_lock_release(p);
    __sync_synchronize();
    int old = __sync_val_compare_and_swap(p, 0, 1);
    if (__sync_bool_compare_and_swap(q, 0, 1)) old++;
    long v = __atomic_load_n(q, __ATOMIC_ACQUIRE), w;
    __atomic_load(q, &w, __ATOMIC_SEQ_CST);
    __atomic_store(q, &w, __ATOMIC_SEQ_CST);
    __atomic_exchange(q, &v, &w, __ATOMIC_SEQ_CST);
    __atomic_compare_exchange_n(q, &v, 3, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    __atomic_fetch_add(s, 1, 0);
    atomic_fetch_add(&counter, 2);
    counter++;
    counter += 3;
    int expected = 1;
    atomic_compare_exchange_strong(&counter, &expected, 2);
    while (atomic_flag_test_and_set(&flag)) {}
    atomic_flag_clear(&flag);
    atomic_thread_fence(memory_order_seq_cst);
    return old + v + atomic_load(&counter);
}

static void *thread(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_cleanup_push(free, argument);
    pthread_cleanup_pop(1);
    return 0;
}

static void clean(int *x) { *x = 0; }

int nested_function(int x) {
    int inner(int y) { return x + y; }
    int cleaned __attribute__((cleanup(clean))) = 3;
    return inner(cleaned);
}

_Complex double complex_global;
__float128 quad;
_Float64 half(_Float32 x) { return x; }
typedef float vec __attribute__((vector_size(16)));

int floats(double x) {
    float f = x;
    f *= 2;
    return f > 1.0 && !x && isnan(x) && sqrt(2.0) > 1 ? (int)f : -x;
}

int main(int argc, char **argv) {
    pthread_t t;
    pthread_create(&t, NULL, thread, (void *)9);
    pthread_create(&t, 0, (void *(*)(void *))clean, &argc);
    pthread_join(t, NULL);
    assert(argc > 0 && "message");
    errno = 0;
    fprintf(stderr, "%s %d\n", argv[0], errno);
    struct guarded *g = malloc(sizeof *g);
    memset(g, 0, sizeof(*g));
    (*thread)(0);
    (**thread)(0);
    return 0;
}
