// expect: safe
// property: undefined
// about: section 5: an invalid access is no business of undefined, the thread stops there
int main(void) {
  int *p = 0, zero = 0;
  *p = 1;
  return 1 / zero;
}
