// expect: unsafe threads=2
// line: 15
// The constants of ACSL.

#include <pthread.h>

static void *leave(void *arg) {
    pthread_exit(arg);
    //@ assert \false;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, leave, 0);
    pthread_join(t, 0);
    //@ assert \true ==> \false;
    return 0;
}
