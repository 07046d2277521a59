// expect: unsafe threads=1
// property: leak
// about: what hangs on a freed element is lost with it
// lines: 14
#include <stdlib.h>

struct node { struct node *next; };
static struct node *list;
int main(void)
{
    list = malloc(sizeof *list);
    list->next = malloc(sizeof *list);
    list->next->next = 0;
    free(list);
    return 0;
}
