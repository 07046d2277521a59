// expect: unsafe threads=1
// line: 8
// The quotient of the least number by -1 does not fit.
#include <limits.h>
#include <stdlib.h>
int main(void) {
    int least = rand() % 2 ? INT_MIN : 0, minus = rand() % 2 ? -1 : 1;
    return least / minus == 1;
}
