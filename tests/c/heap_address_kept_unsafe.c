// expect: unsafe threads=2
// line: 35
// The same, but the worker also changes what it compares with.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct device {
    int registers[3];
    int state;
};

struct operations {
    int (*probe)(struct operations *);
    int *state;
    int users;
};

static int probe(struct operations *o)
{
    return o->users;
}

static struct operations operations = {probe, 0, 0};
struct operations *known = &operations;
static struct device *device;
static unsigned char shadow[4];

static void *worker(void *arg)
{
    unsigned port = (unsigned)(unsigned long)arg & 3u;
    unsigned char before = shadow[port];

    shadow[port] = before + 1;
    assert(before == shadow[port]);
    return NULL;
}

int main(void)
{
    pthread_t id;

    device = malloc(sizeof *device);
    if (!device)
        return 1;
    operations.state = &device->state;
    assert(operations.state == &device->state);
    pthread_create(&id, NULL, worker, (void *)2);
    return 0;
}
