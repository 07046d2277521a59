// expect: unsafe threads=1
// property: memory
// lines: 10
// about: an access through null
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = 0, *p = __VERIFIER_nondet_int() ? &x : 0;
    *p = 1;
    return 0;
}
