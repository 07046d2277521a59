// expect: unsafe threads=1
// line: 15
// Constructors run by priority before `main`, destructors the other way round after it.

#include <assert.h>
#include <stdlib.h>

int trace;

__attribute__((constructor)) void last(void) { trace = trace * 10 + 3; }
__attribute__((constructor(200))) void second(void) { trace = trace * 10 + 2; }
__attribute__((constructor(101))) void first(void) { trace = trace * 10 + 1; }
__attribute__((constructor)) void after(void) { trace = trace * 10 + 4; }

__attribute__((destructor(101))) void end_last(void) { assert(trace == 765); }
__attribute__((destructor(200))) void end_second(void) { trace = trace * 10 + 7; }
__attribute__((destructor)) void end_first(void) { trace = trace * 10 + 6; }
__attribute__((destructor)) void end_before(void) { trace = trace * 10 + 5; }

static void leave(void) { exit(0); }

int main(void) {
    assert(trace == 1234);
    trace = 0;
    leave();
    return 0;
}
