// expect: safe
// A struct is read where it stands among the arguments: behind the number before it.

#include <assert.h>
#include <pthread.h>

struct pair { int first, second; };
static struct pair shared;
static int later;
static void *writer(void *arg) {
    shared.second = 1;
    later = 1;
    return arg;
}
static void look(int before, struct pair pair, int behind) { assert(!before || pair.second); }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    look(later, shared, later);
    return 0;
}
