// expect: safe
// property: overflow
// about: P-40: a shift that fits, and one of an unsigned number
int main(void) {
  int i = 1, by = 30;
  unsigned u = 1;
  i = i << by;
  u = u << 31;
  return i == 0 && u == 0;
}
