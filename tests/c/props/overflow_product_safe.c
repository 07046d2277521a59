// expect: safe
// property: overflow
// about: section 6: a product that just fits
int nondet(int n) { return n; }
int main(void) {
  int i = nondet(-65536), n = nondet(32768);
  i = i * n;
  return i == 0;
}
