int x;
int main(void) {
    int seen = x;
    while (!__atomic_compare_exchange_n(&x, &seen, seen + 1, 1, 5, 5))
        ;
    __sync_fetch_and_add(&x, 1);
    return 0;
}
