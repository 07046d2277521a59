// expect: unsafe threads=1
// property: overflow
// lines: 7
// about: P-40: the sign bit is no value of the type
int main(void)
{
    int mask = 1 << 31;
    return mask == 0;
}
