// expect: unsafe threads=1
// property: abort
// about: head: abort is reached
// lines: 6
#include <stdlib.h>
int main(void) { abort(); }
