// expect: unsafe threads=2
// ways: concrete
// line: 22
// A lock made of a futex: waiting may end at any time, so that it must be asked again.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static int word, inside;
static void lock(void) {
    if (__sync_val_compare_and_swap(&word, 0, 1))
        syscall(SYS_futex, &word, 0, 1, NULL, NULL, 0);
}
static void unlock(void) {
    __sync_lock_release(&word);
    syscall(SYS_futex, &word, 1, 1, NULL, NULL, 0);
}
static void *work(void *argument) {
    lock();
    inside++;
    assert(inside == 1);
    inside--;
    unlock();
    return argument;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}
