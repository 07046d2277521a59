// expect: safe
// property: memory
// about: the address of a local is returned, and not used
static int *f(void)
{
    int x = 0, *p = &x;
    return p;
}

int main(void)
{
    f();
    return 0;
}
