int depth;
static int down(int n) {
    if (n == 0)
        return depth;
    depth++;
    return down(n - 1) + 1;
}
int main(void) { return down(2); }
