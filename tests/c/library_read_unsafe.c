// expect: unsafe threads=1
// line: 8
// All bytes up to the size can be written, not the first one only.
#include <assert.h>
#include <unistd.h>
int main(void) {
    char buffer[3] = {0, 0, 0};
    if (read(0, buffer, sizeof buffer) == 3) assert(buffer[2] == 0);
    return 0;
}
