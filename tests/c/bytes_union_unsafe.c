// expect: unsafe threads=1
// line: 45
// Bytes of unions, packed structs and words, their first values, and pointers that are copied in pieces.
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

union word {
    unsigned whole;
    unsigned short half[2];
    unsigned char byte[4];
    float real;
};

struct __attribute__((packed)) packet {
    char kind;
    int number;
    int *to;
};

static union word first = {.byte = {1, 2, 3, 4}};
static union word second = {.whole = 5, .half = {[1] = 7}};
static union { int small; long large; } wide = {.large = 0x100000002};

int main(void)
{
    assert(first.whole == 0x04030201 && first.half[1] == 0x0403);
    assert(second.whole == 0x70000 && wide.small == 2);
    union word w = {.real = 1.0f};
    assert(w.whole == 0x3f800000 && w.byte[3] == 0x3f);
    ((char *)&w)[3] = 0x40;
    assert(w.real == 4.0f);
    union word other = {.byte[2] = 9}, copy = other;
    assert(copy.half[1] == 9);

    int target = 3;
    struct packet p = {'k', 1, &target}, q;
    memset(&q, 0xff, sizeof q);
    assert(q.number == -1 && q.kind == -1);
    for (size_t i = 0; i < sizeof p; i++)
        ((char *)&q)[i] = ((char *)&p)[i];
    assert(*q.to == 3 && q.number == 1 && memcmp(&p, &q, sizeof p) == 0);
    memcpy((char *)&q + offsetof(struct packet, number) + 1, "\1\2", 2);
    assert(q.number == 0x020102);

    void *raw = aligned_alloc(64, 64);
    struct packet *r = raw;
    *r = p;
    assert(*r->to == 3);
    free(raw);
    return 0;
}
