// expect: safe
// Assertions in ACSL comments count.


int main(void) {
    int x = 2;
    /*@ assert x == 2; */
    x = x + 1;
    //@ assert x == 3;
    return x - 3;
}
