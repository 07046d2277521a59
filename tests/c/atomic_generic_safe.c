// expect: safe
// The generic __atomic calls take their operands by pointer.

#include <assert.h>
#include <stdbool.h>

int main(void) {
    int x = 1, in = 5, out = 0;
    bool flag = false;
    __atomic_load(&x, &out, __ATOMIC_SEQ_CST);
    assert(out == 1);
    __atomic_store(&x, &in, __ATOMIC_SEQ_CST);
    in = 6;
    __atomic_exchange(&x, &in, &out, __ATOMIC_SEQ_CST);
    assert(x == 6 && out == 5);
    assert(!__atomic_test_and_set(&flag, __ATOMIC_SEQ_CST));
    __atomic_clear(&flag, __ATOMIC_SEQ_CST);
    assert(!flag);
    in = 9;
    out = 6;
    bool done = __atomic_compare_exchange(&x, &out, &in, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    assert(done && x == 9);
    return 0;
}
