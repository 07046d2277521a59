// expect: unsafe threads=2
// ways: concrete
// line: 26
// Each seat counts twice.
#include <assert.h>
#include <pthread.h>
int taken[4];
int next;

static void *guest(void *unused)
{
    int seat = next;
    taken[seat & 3] = 2;
    next = seat + 1;
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (next < 3)
        pthread_create(&thread, 0, guest, 0);
    int all = 0;
    for (int i = 0; i < 4; i++)
        all += taken[i];
    assert(all <= 4);
    return 0;
}
