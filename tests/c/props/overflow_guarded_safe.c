// expect: safe
// property: overflow
// about: section 6: operands that are not evaluated do not overflow; atomic operators wrap
#include <limits.h>
#include <stdatomic.h>
atomic_int a = INT_MAX;
int main(void) {
  int i = INT_MAX, n = 0;
  if (n && i + 1 > 0)
    n = 1;
  n = n ? i * 2 : 0;
  atomic_fetch_add(&a, 1);
  return n;
}
