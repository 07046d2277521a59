// A ticket lock: draw a number, wait until it is served, pass on to the next. Any number of threads, 32-bit numbers.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static unsigned next_ticket, now_serving;
static int slot;

static void *worker(void *unused)
{
    unsigned mine;
    int value = rand();

    (void)unused;
    do {
        mine = __atomic_load_n(&next_ticket, __ATOMIC_SEQ_CST);
        if (mine == ~0u)
            return 0; // all tickets are used up
    } while (!__sync_bool_compare_and_swap(&next_ticket, mine, mine + 1));
    while (__atomic_load_n(&now_serving, __ATOMIC_SEQ_CST) < mine)
        ;
    slot = value;
    assert(slot == value);
    __atomic_store_n(&now_serving, mine + 1, __ATOMIC_SEQ_CST);
    return 0;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, worker, 0);
}
