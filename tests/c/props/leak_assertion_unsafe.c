// expect: unsafe threads=1
// property: leak
// about: P-31: where the assertion holds the run goes on
// lines: 14
#include <stdlib.h>

#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int *p = malloc(sizeof *p);
    *p = __VERIFIER_nondet_int();
    assert(*p == 3);
    return 0;
}
