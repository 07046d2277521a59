// expect: safe
// property: memory
// about: a variable-length array ends by itself
int main(void)
{
    int n = 2, x[n];
    x[1] = 1;
    return 0;
}
