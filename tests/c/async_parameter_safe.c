// expect: safe
// A statement that runs as a thread has a copy of the parameters of the function that it stands in.
int shared;

static void start(int value, int *to) {
    __CPROVER_ASYNC_1: *to = value;
}

int main(void) {
    start(1, &shared);
    __CPROVER_assert(shared == 0 || shared == 1, "the value that was given");
    return 0;
}
