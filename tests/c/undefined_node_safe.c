// expect: safe
// undefined: 18 (use after free of `node`)
// The reader looks whether there is a node and follows it later.

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
};

static struct node *volatile node;

static void *reader(void *unused) {
    int value = 1;
    if (node)
        value = node->value;
    assert(value == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct node *made = malloc(sizeof *made);
    made->value = 1;
    node = made;
    pthread_create(&thread, 0, reader, 0);
    free(made);
    pthread_join(thread, 0);
    return 0;
}
