// expect: unsafe threads=1
// line: 6
// The function that was registered last runs first.
#include <assert.h>
#include <stdlib.h>
void first(void) { int *none = 0; assert(none); }
void second(void) { _Exit(0); }
int main(int argc, char **argv) {
    atexit(first);
    if (argc > 1) atexit(second);
    return 0;
}
