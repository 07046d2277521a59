// expect: safe
// __VERIFIER_error and a __VERIFIER_assert that calls it.


extern void __VERIFIER_error(void);
static void __VERIFIER_assert(int cond) {
    if (!cond) {
        __VERIFIER_error();
    }
}
int main(void) {
    int x = 3;
    x *= 4;
    __VERIFIER_assert(x == 12);
    return 0;
}
