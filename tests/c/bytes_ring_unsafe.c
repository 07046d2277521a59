// expect: unsafe threads=2
// line: 51
// A ring of one producer and one consumer: the header and the bytes of the messages are one allocation, and a message is a length and its text.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct ring {
    atomic_uint head, tail;
    unsigned size;
    unsigned char data[];
};

struct message {
    unsigned short length;
    char text[2];
};

static struct ring *make(unsigned size)
{
    struct ring *r = malloc(sizeof *r + size);
    atomic_init(&r->head, 0);
    atomic_init(&r->tail, 0);
    r->size = size;
    return r;
}

static void *produce(void *argument)
{
    struct ring *r = argument;
    for (int i = 0; i < 2; i++) {
        struct message m = {.length = 2, .text = {'a' + i, 'b' + i}};
        unsigned at = atomic_load(&r->head);
        atomic_store(&r->head, at + sizeof m);
        memcpy(r->data + at % r->size, &m, sizeof m);
    }
    return NULL;
}

int main(void)
{
    struct ring *r = make(2 * sizeof(struct message));
    pthread_t t;
    pthread_create(&t, NULL, produce, r);
    unsigned at = atomic_load(&r->tail);
    if (at != atomic_load(&r->head)) {
        struct message m;
        memcpy(&m, r->data + at % r->size, sizeof m);
        assert(m.length == 2 && m.text[0] == 'a' && m.text[1] == 'b');
        atomic_store(&r->tail, at + sizeof m);
    }
    pthread_join(t, NULL);
    free(r);
    return 0;
}
