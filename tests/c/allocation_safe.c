// expect: safe
// malloc, calloc and free.

#include <assert.h>
#include <stdlib.h>

struct node { int value; struct node *next; };
static struct node *push(struct node *list, int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = list;
    return n;
}
int main(void) {
    struct node *list = push(push(0, 1), 2);
    int *zeros = calloc(3, sizeof(int));
    assert(zeros[2] == 0);
    assert(list->value == 2 && list->next->next == 0);
    assert(list->next->value == 1);
    free(list->next);
    free(list);
    free(zeros);
    return 0;
}
