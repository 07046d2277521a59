// expect: safe
// `_exit` and `abort` end the program without its destructors.

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

int x;
__attribute__((destructor)) static void check(void) { assert(x == 0); }

int main(int count, char **words) {
    x = 1;
    if (count == 1)
        _exit(0);
    abort();
}
