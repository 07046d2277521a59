// expect: unsafe threads=1
// property: memory
// lines: 7
// about: a write to a string literal
int main(void)
{
    *(char *)"a" = 'b';
    return 0;
}
