// expect: unsafe threads=1
// property: undefined
// about: section 5: division by zero
// lines: 7
int main(void) {
  int zero = 0;
  return 1 / zero;
}
