// expect: safe
// property: leak
// about: a cycle to which a variable leads is not lost
#include <stdlib.h>

struct node { struct node *next; };
int main(void)
{
    struct node *one = malloc(sizeof *one);
    struct node *other = malloc(sizeof *other);
    one->next = other;
    other->next = one;
    one = 0;
    free(other->next);
    free(other);
    return 0;
}
