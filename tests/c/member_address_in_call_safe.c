// expect: safe
// ways: abstract
// A function gets the address of a member of a local struct, and stores through it: after inlining nobody has the address.

#include <assert.h>
#include <pthread.h>

struct pair {
    void *first, *second;
};

static void store(void **member, void *value)
{
    *member = value;
}

static void *thread(void *number)
{
    return number;
}

int main(void)
{
    struct pair pair = {0, 0};
    pthread_t handle;
    for (;;) {
        pthread_create(&handle, 0, thread, 0);
        void *before = pair.first;
        store(&pair.second, 0);
        assert(pair.first == before);
    }
}
