// expect: unsafe threads=2
// line: 22
// A start function whose address a pointer holds as well may be called through it.
#include <assert.h>
#include <pthread.h>

static int calls;

static void *(*later)(void *);

static void *run(void *argument)
{
    calls++;
    return argument ? later(0) : 0;
}

int main(void)
{
    pthread_t thread;
    later = run;
    pthread_create(&thread, 0, run, &thread);
    pthread_join(thread, 0); assert(calls == 1);
}
