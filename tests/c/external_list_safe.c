// expect: safe
// What no argument leads to is not written; constants and locks are not either.
#include <assert.h>
#include <pthread.h>
struct node { int value; struct node *next; pthread_mutex_t lock; };
void visit(struct node *list);
struct node apart = {3, 0, PTHREAD_MUTEX_INITIALIZER};
int main(void) {
    struct node first = {1, 0, PTHREAD_MUTEX_INITIALIZER};
    visit(&first);
    pthread_mutex_lock(&first.lock);
    pthread_mutex_unlock(&first.lock);
    assert(apart.value == 3);
    return 0;
}
