// expect: safe
// The objects of the library have the sizes and alignments of glibc.

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

struct around { pthread_mutex_t m; int x; };

int main(void) {
    assert(sizeof(pthread_mutex_t) == 40 && sizeof(struct around) == 48);
    assert(sizeof(pthread_cond_t) == 48 && sizeof(pthread_rwlock_t) == 56);
    assert(sizeof(pthread_barrier_t) == 32 && sizeof(sem_t) == 32 && sizeof(pthread_spinlock_t) == 4);
    assert(sizeof(pthread_attr_t) == 56 && sizeof(pthread_t) == 8 && sizeof(pthread_once_t) == 4);
    assert(sizeof(mtx_t) == 40 && sizeof(cnd_t) == 48 && sizeof(once_flag) == 4 && sizeof(tss_t) == 4);
    return 0;
}
