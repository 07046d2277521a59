// expect: unsafe threads=1
// line: 18
// From a member to the struct around it.

#include <assert.h>
#include <stddef.h>

struct link { struct link *next; };
struct item { int value; struct link link; };
#define ITEM(l) ((struct item *)((char *)(l) - offsetof(struct item, link)))
int main(void) {
    struct item b = {2, {0}};
    struct item a = {1, {&b.link}};
    struct link *l = &a.link;
    int sum = 0;
    for (; l; l = l->next)
        sum = sum * 10 + ITEM(l)->value;
    assert(sum == 21);
    return 0;
}
