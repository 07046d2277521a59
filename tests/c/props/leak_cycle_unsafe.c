// expect: unsafe threads=1
// property: leak
// about: objects that lead to each other alone are lost
// lines: 15
#include <stdlib.h>

struct node { struct node *next; };
int main(void)
{
    struct node *one = malloc(sizeof *one);
    struct node *other = malloc(sizeof *other);
    one->next = other;
    other->next = one;
    one = 0;
    other = 0;
    return 0;
}
