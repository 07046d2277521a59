void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x, y;
static void __VERIFIER_atomic_set(int v) { x = v; }
int main(void) {
    __VERIFIER_atomic_begin();
    __VERIFIER_atomic_set(1);
    y = x;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_set(2);
    return 0;
}
