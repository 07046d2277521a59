// expect: safe
// Fences and weaker orders: taken as sequentially consistent.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data, ready;
static void *child(void *arg) {
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    if (atomic_load_explicit(&ready, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
    }
    return 0;
}
