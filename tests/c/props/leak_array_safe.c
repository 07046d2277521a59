// expect: safe
// property: leak
// about: P-32: an array of variable length counts while it is in scope
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n != 2)
        exit(0);
    void *a[n];
    a[1] = malloc(4);
    exit(0);
}
