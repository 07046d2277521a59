// expect: unsafe threads=1
// line: 8
#include <assert.h>
#include <errno.h>
#include <unistd.h>
int main(void) {
    errno = 0;
    if (close(3) != 0) assert(errno == EBADF);
    return 0;
}
