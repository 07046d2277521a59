// expect: safe
// ways: concrete
// A function that nobody declared may be called with another number of arguments than the compiler knows: only reaching it matters.

int main(void) {
    int never = 0;
    if (never)
        puts();
    if (never)
        never = abs(1, 2);
    if (never)
        __assert_fail("never", "file", 1, "main");
    return 0;
}
