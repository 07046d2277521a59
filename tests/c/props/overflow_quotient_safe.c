// expect: safe
// property: overflow
// about: section 6: division by zero is no overflow, the thread stops there
int main(void) {
  int i = 1, by = 0;
  i /= by;
  return i == 0;
}
