// expect: unsafe threads=1
// property: overflow
// about: P-40: a shift into the sign
// lines: 7
int main(void) {
  int i = 1, by = 31;
  i = i << by;
  return i == 0;
}
