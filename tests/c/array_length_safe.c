// expect: safe
// ways: concrete
// The length of an array in the name of a type is worked out where the type stands, each time, and only if that is reached.

#include <assert.h>

int main(void) {
    int length = 0, turns = 0;
    unsigned long size = 0;
    do
        length++;
    while ((size = sizeof(char[length])) < 4);
    assert(length == 4 && size == 4);
    for (int i = 1; sizeof(char[i]) < 3; i++)
        size = sizeof(short[i]), turns++;
    assert(size == 4 && turns == 2);
    if (length == 5)
        size = sizeof(int[length++]);
    assert(length == 4);
    size = length == 4 ? sizeof(int[length++]) : 1;
    assert(length == 5 && size == 16);
    int values[6] = { 1, 2, 3, 4, 5, 6 }, width = 2;
    if (((int(*)[width])values)[1][0] == 3) {
        width = 3;
        assert(((int(*)[width])values)[1][0] == 4);
        assert(sizeof *(int(*)[width])values == 12);
    }
    return 0;
}
