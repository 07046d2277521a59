// expect: unsafe threads=1
// line: 15
// sem_trywait fails at zero and sets errno; sem_getvalue tells the count.

#include <assert.h>
#include <errno.h>
#include <semaphore.h>

static sem_t s;
int main(void) {
    int v = -1;
    sem_init(&s, 0, 1);
    assert(sem_trywait(&s) == 0);
    int r = sem_trywait(&s);
    assert(r == 0);
    sem_post(&s);
    sem_post(&s);
    sem_getvalue(&s, &v);
    assert(v == 2);
    return 0;
}
