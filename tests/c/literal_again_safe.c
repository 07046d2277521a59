// expect: safe
// ways: concrete
// A compound literal is one object of the block around it, however often a jump within the block, the head of a loop or a condition
// comes to it; each time it gets its values again.

#include <assert.h>

struct pair {
    int first, second;
};

static int jump(void) {
    struct pair *before = 0, *now;
    int turn = 0;
again:
    now = &(struct pair){ turn, turn + 1 };
    if (turn++ == 0) {
        before = now;
        goto again;
    }
    return before == now && before->first == 1 && before->second == 2;
}

static int head(void) {
    int *seen[3], at = 0, same = 0;
    for (seen[0] = (int[1]){ 7 }; at < 2; seen[at] = (int[1]){ at }) {
        at++;
        if (at == 2)
            same = *seen[1] == 1 && *seen[0] == 7;
    }
    return same;
}

static int condition(void) {
    int *first = 0, *last, turns = 0, equal = 0;
    while (*(last = &(int){ turns }) < 3) {
        if (!first)
            first = last;
        equal += first == last && *first == turns;
        turns++;
    }
    return equal == 3;
}

static int governed(int wanted) {
    int *value = 0;
    if (wanted)
        return value = &(int){ wanted }, *value + (int){ 1 };
    else
        return *(const int[]){ 9 };
}

int main(void) {
    assert(jump());
    assert(jump());
    assert(head());
    assert(condition());
    assert(governed(4) == 5 && governed(0) == 9);
    int old = (int){ 3 }++, new = ++(int){ 3 }, sum = (int){ 3 } += 2;
    assert(old == 3 && new == 4 && sum == 5);
    return 0;
}
