// expect: unsafe threads=1
// property: overflow
// lines: 10
// set: overflow.shift=off
// about: P-40: shifts to the left are no overflow if the user says so; sums are
int main(void)
{
    int mask = 1 << 31;
    int one = 1, by = 31;
    return (mask & one << by) - one == 0;
}
