// expect: safe
// ways: concrete
// Handlers of `cleanup` run on every way out of the rest of the block, the last declared first, after the value of `return` is known.

#include <assert.h>

int trace;

static void note(int *p) { trace = trace * 10 + *p; }

#define SCOPED __attribute__((cleanup(note)))

static int returns(int early) {
    if (early)
        return trace;
    SCOPED int a = 1;
    SCOPED int b = 2;
    {
        SCOPED int c = 3;
        if (early == 0)
            return trace * 100;
    }
    return a + b;
}

static void loops(void) {
    for (int i = 4; i < 6; i++) {
        SCOPED int a = i;
        if (i == 4)
            continue;
        break;
    }
}

static void backward(void) {
    int turns = 0;
again:
    turns++;
    SCOPED int a = 6 + turns;
    if (turns < 2)
        goto again;
}

int main(void) {
    int value = returns(1);
    assert(value == 0 && trace == 0);
    trace = 9;
    value = returns(0);
    assert(value == 900 && trace == 9321);
    trace = 0;
    loops();
    assert(trace == 45);
    trace = 0;
    backward();
    assert(trace == 78);
    trace = 0;
    value = ({ SCOPED int a = 5; SCOPED int b = 6; a + b + trace; });
    assert(value == 11 && trace == 65);
    return 0;
}
