// expect: safe
// args: -DLIMIT=4 -DFAST
// Macros from the command line, and lines that count from the file as written.

#include <assert.h>

#ifdef FAST
#define STEP 2
#else
#define STEP 1
#endif
#define JOIN(a, b) a##b
int main(void) {
    int JOIN(co, unt) = 0;
    for (int i = 0; i < LIMIT; i += STEP)
        count++;
    assert(count == 2);
    return 0;
}
