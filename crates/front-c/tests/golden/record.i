struct s { int a; unsigned f : 3, g : 5; char c[2]; } p, q;
int main(void) {
    struct s t = q;
    t.a++;
    p = t;
    p.g = 9;
    return 0;
}
