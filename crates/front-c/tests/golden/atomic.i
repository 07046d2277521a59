// Which accesses are atomic: by the type of the lvalue, or by the operation.
_Atomic int counter;
int plain;
int flag;

int main(void) {
    _Atomic int *shared = &counter;
    int *through = &plain;
    __c11_atomic_init(&counter, 1);
    counter = 2;
    plain = *shared;
    counter += 3;
    __atomic_store_n(&flag, plain, 5);
    *through = __atomic_load_n(&flag, 5);
    __sync_lock_release(&flag);
    int expected = plain;
    __atomic_compare_exchange_n(&flag, &plain, expected, 0, 5, 5);
    return counter;
}
