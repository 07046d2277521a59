// expect: unsafe threads=1
// line: 12
// __CPROVER_assert with its message, and __ESBMC_assert.


extern void __CPROVER_assert(_Bool, const char *);
extern void __ESBMC_assert(_Bool, const char *);
int main(void) {
    int x = 1;
    x <<= 3;
    __ESBMC_assert(x > 1, "shifted");
    __CPROVER_assert(x == 4, "eight");
    return 0;
}
