// expect: safe
// Structs given to functions and returned by them, recursive ones too.

#include <assert.h>

struct pair {
    int a;
    char b;
    long c;
};

static struct pair make(int a, struct pair p) {
    p.a = a;
    p.c += 1;
    return p;
}

static struct pair deep(int n, struct pair p) {
    if (n == 0)
        return p;
    p.a += n;
    return deep(n - 1, p);
}

static int take(struct pair p, struct pair q) {
    p.a = 100;
    return p.a + q.a;
}

int main(void) {
    struct pair p = {1, 2, 3};
    struct pair (*pointer)(int, struct pair) = make;
    struct pair q = make(5, p);
    assert(p.a == 1 && q.a == 5 && q.b == 2 && q.c == 4);
    q = pointer(7, deep(3, q));
    make(1, q);
    assert(make(9, q).a == 9 && take(p, p) == 101 && p.a == 1);
    q = make(1, make(2, deep(2, p)));
    assert(q.c == 5 && q.a == 1);
    return 0;
}
