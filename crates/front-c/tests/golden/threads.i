typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void __VERIFIER_assert(int);
int n;
static void *child(void *arg) { n = (int)(long)arg; return arg; }
int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, child, (void *)(i + 5));
    for (long i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    __VERIFIER_assert(n > 4);
    return 0;
}
