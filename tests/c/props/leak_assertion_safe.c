// expect: safe
// property: leak
// about: P-31: a failing assertion ends the run
#include <stdlib.h>

#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    assert(__VERIFIER_nondet_int() == 3);
    free(p);
    return 0;
}
