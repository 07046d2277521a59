// expect: safe
// property: memory
// about: an array that a string literal initialises may be written
int main(void)
{
    char text[] = "a";
    text[0] = 'b';
    return 0;
}
