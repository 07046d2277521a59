// expect: unsafe
// arguments: -m 2
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int counter, loops;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument) {
    for (int i = 0; i < loops; i++) {
        int before = counter;
        counter = before + 1;
    }
    return argument;
}
int main(int argc, char *argv[]) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s mode loops\n", argv[0]);
        exit(1);
    }
    assert(strcmp(argv[1], "-m") == 0 && argv[3] == NULL);
    loops = atoi(argv[2]);
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(counter == 2 * loops);
    return 0;
}
