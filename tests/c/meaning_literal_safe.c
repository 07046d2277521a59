// expect: safe
// undefined: 14 (use of `literal` outside its lifetime)
// A compound literal lives as long as the block around it.

#include <assert.h>

struct pair { int first, second; };
int main(void) {
    struct pair *kept;
    {
        kept = &(struct pair){ 1, 2 };
        assert(kept->second == 2);
    }
    int late = kept->second;
    assert(late == 3);
    return 0;
}
