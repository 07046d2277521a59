// expect: unsafe threads=1
// line: 13
// What an external function is given leads on through pointers.
#include <assert.h>
struct node { int value; struct node *next; };
void visit(struct node *list);
struct node third = {3, 0};
struct node second = {2, &third};
int main(void) {
    struct node first = {1, &second};
    struct node *last = &third;
    visit(&first);
    assert(last->value == 3);
    return 0;
}
