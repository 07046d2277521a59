// expect: safe
// A switch into a loop, and break and continue inside both.

#include <assert.h>

int main(void) {
    int n = 0, i = 0;
    switch (3) {
        while (i < 4) {
    case 3:
            i++;
            if (i == 2)
                continue;
            n += i;
        }
    }
    assert(i == 4);
    for (i = 0; i < 5; i++) {
        switch (i) {
        case 1: continue;
        case 3: break;
        default: n += 10; break;
        }
        if (i == 3)
            break;
    }
    assert(n == 28);
    return 0;
}
