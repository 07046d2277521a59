// expect: safe
// property: leak
// about: elements are freed after what hangs on them
#include <stdlib.h>

struct node { struct node *next; };
static struct node *list;
int main(void)
{
    list = malloc(sizeof *list);
    list->next = malloc(sizeof *list);
    list->next->next = 0;
    free(list->next);
    free(list);
    return 0;
}
