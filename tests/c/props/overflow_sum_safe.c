// expect: safe
// property: overflow
// about: section 6: unsigned sums wrap, narrow ones are computed in int
int main(void) {
  unsigned u = 0xffffffffu;
  signed char c = 127;
  u = u + 1;
  c++;
  return u == 1 && c == 0;
}
