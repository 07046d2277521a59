// expect: safe
// ways: concrete
// A function may end without a value as long as nobody uses it (C11 6.9.1); `main` gives 0.

#include <assert.h>

static int calls, entered;

static int counts(int really) {
    calls++;
    if (really)
        return calls;
}

static int bare(void) {
    return;
}

static int descends(int depth) {
    if (depth > 0) {
        descends(depth - 1);
        return calls++;
    }
}

int main(int argc, char **argv) {
    if (entered++ == 0) {
        int (*pointer)(int) = counts;
        counts(0);
        (void)counts(0);
        counts(0), bare();
        calls ? counts(0) : bare();
        for (counts(0); calls < 7; counts(0))
            ;
        ({ pointer(0); });
        assert(counts(1) == 9);
        descends(2);
        assert(calls == 11);
        assert(main(1, argv) == 0);
    }
}
