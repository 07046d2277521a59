// expect: unsafe threads=1
// line: 11
// A call of reach_error is an error, whatever its body does.


extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 5 && x < 9)
        reach_error();
    return 0;
}
