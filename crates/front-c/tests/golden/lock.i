typedef struct { int kind; int rest[9]; } pthread_mutex_t;
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
void __assert_fail(const char *, const char *, unsigned, const char *);
pthread_mutex_t m;
int n;
static void add(pthread_mutex_t *lock, int *to, int by) {
    pthread_mutex_lock(lock);
    *to += by;
    pthread_mutex_unlock(lock);
}
int main(void) {
    int local = 0;
    add(&m, &n, 2);
    add(&m, &local, 3);
    n < local ? (void)0 : __assert_fail("n < local", "lock.c", 1, "main");
    return 0;
}
