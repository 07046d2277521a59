// expect: safe
// property: overflow
// about: P-40: all bits but the sign bit are values of the type
int main(void)
{
    int mask = 1 << 30;
    return mask == 0;
}
