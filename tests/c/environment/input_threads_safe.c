// expect: safe
// stdin: ab
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static char got[2];
static void *work(void *argument) {
    char c = 0;
    if (read(0, &c, 1) == 1)
        *(char *)argument = c;
    return 0;
}
int main(void) {
    pthread_t thread;
    char rest;
    pthread_create(&thread, 0, work, &got[0]);
    work(&got[1]);
    pthread_join(thread, 0);
    assert(got[0] + got[1] == 'a' + 'b');
    assert(read(0, &rest, 1) == 0);
    return 0;
}
