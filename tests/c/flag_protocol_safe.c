// expect: safe
// Two flags and a turn: mutual exclusion by reads and writes alone.

#include <assert.h>
#include <pthread.h>

static _Bool flag[2];
static _Bool turn;
static int inside;
static void visit(int me) {
    flag[me] = 1;
    turn = !me;
    while (flag[!me] && turn == !me)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    flag[me] = 0;
}
static void *child(void *arg) {
    visit(1);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    visit(0);
    pthread_join(t, 0);
    return 0;
}
