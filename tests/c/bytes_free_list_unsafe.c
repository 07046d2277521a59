// expect: unsafe threads=3
// line: 52
// A pool whose free objects hold the link to the next free one in their own first bytes.
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct object {
    int a;
    int b;
};

static unsigned char pool[2 * sizeof(struct object)] __attribute__((aligned(16)));
static void *free_list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void give_back(struct object *o)
{
    pthread_mutex_lock(&lock);
    *(void **)o = free_list;
    free_list = o;
    pthread_mutex_unlock(&lock);
}

static struct object *take(void)
{
    struct object *o = free_list;
    pthread_mutex_lock(&lock);
    free_list = *(void **)o;
    pthread_mutex_unlock(&lock);
    return o;
}

static void *worker(void *argument)
{
    struct object *o = take();
    o->a = o->b = (int)(long)argument;
    give_back(o);
    return NULL;
}

int main(void)
{
    give_back((struct object *)pool);
    give_back((struct object *)pool + 1);
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, (void *)1);
    pthread_create(&t[1], NULL, worker, (void *)2);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    struct object *x = take(), *y = take();
    assert(x != y && !free_list);
    return 0;
}
