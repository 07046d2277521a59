// expect: unsafe threads=1
// line: 13
// An object reached through a pointer to const is not written, but what the pointers in it lead to is.
#include <assert.h>
struct box { int size; int *data; };
void use(const struct box *box);
int main(void) {
    int data[2] = {5, 6};
    struct box box = {2, data};
    use(&box);
    assert(box.size == 2);
    assert(box.data == data);
    assert(data[1] == 6);
    return 0;
}
