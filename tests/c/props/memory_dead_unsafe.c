// expect: unsafe threads=1
// property: memory
// about: the address of a local is returned, and used
static int *f(void)
{
    int x = 0, *p = &x;
    return p;
}

int main(void)
{
    return *f();
}
