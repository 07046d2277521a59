// expect: safe
// undefined: 11 (use of `literal` outside its lifetime)
// The body of a loop is a block of its own, with braces or without (C11 6.8.5).

#include <assert.h>

int main(void) {
    int *kept[2];
    for (int i = 0; i < 2; i++)
        kept[i] = &(int){ i };
    return *kept[0];
}
