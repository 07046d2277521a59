// expect: safe
// property: overflow
// set: overflow.shift=off
// about: P-40: shifts to the left are no overflow if the user says so
int main(void)
{
    int mask = 1 << 31;
    int one = 1, by = 31;
    return (mask & one << by) == 0;
}
