// expect: unsafe threads=1
// line: 17
// memset, memcpy and memmove, cell by cell.

#include <assert.h>
#include <string.h>

int main(void) {
    unsigned char a[4], b[4];
    int w[2] = {1, 2}, v[2];
    memset(a, 7, sizeof a);
    memcpy(b, a, 3);
    b[3] = 1;
    memmove(b + 1, b, 3);
    memcpy(v, w, sizeof w);
    assert(v[0] == 1 && v[1] == 2);
    assert(b[3] == 1);
    memset(w, 0, sizeof w);
    assert(w[0] + w[1] == 0);
    return 0;
}
