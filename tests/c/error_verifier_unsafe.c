// expect: unsafe threads=1
// line: 9
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
    __VERIFIER_assert(x == 13);
    return 0;
}
