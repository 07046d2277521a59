// expect: unsafe threads=1
// line: 36
// Layouts under `packed`, `aligned`, `_Alignas` and `#pragma pack`.

#include <assert.h>
#include <stddef.h>

#pragma pack(push, 2)
struct two { char c; int i; };
#pragma pack(push, name, 1)
struct one { char c; int i; short s; };
#pragma pack(4)
struct four { char c; double d; };
#pragma pack(pop, name)
struct again { char c; int i; };
#pragma pack(pop)
struct plain { char c; int i; };
_Pragma("pack(1)") struct operator_ { char c; long l; };
#pragma pack()

struct member { char c; int i __attribute__((packed)); };
struct above { char c; short s __attribute__((aligned(8))); };
typedef int wide __attribute__((aligned(16)));
struct named { char c; wide w; };
enum __attribute__((packed)) small { SMALL };
struct asked { _Alignas(8) char c; };
struct bits { char c; int a : 20; int b : 20; } __attribute__((packed));

int main(void) {
    assert(sizeof(struct two) == 6 && offsetof(struct two, i) == 2);
    assert(sizeof(struct one) == 7 && offsetof(struct one, s) == 5);
    assert(sizeof(struct four) == 12 && _Alignof(struct four) == 4);
    assert(sizeof(struct again) == 6 && sizeof(struct plain) == 8);
    assert(sizeof(struct operator_) == 9);
    assert(sizeof(struct member) == 5 && sizeof(struct above) == 16);
    assert(sizeof(struct named) == 20 && sizeof(enum small) == 1);
    assert(sizeof(struct asked) == 8 && sizeof(struct bits) == 6);
    struct bits b = { 1, -7, 3 };
    assert(b.a == -7 && b.b == 3);
    return 0;
}
