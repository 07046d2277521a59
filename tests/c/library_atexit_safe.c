// expect: safe
// ways: concrete
#include <assert.h>
#include <stdlib.h>
int order;
void last(void) { assert(order == 1); }
void middle(void) { assert(order == 0); order = 1; }
int main(void) {
    atexit(last);
    atexit(middle);
    exit(order);
}
