/* Everything here is an assertion that the compiler checks as well: the test runs gcc on this file too. */
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <stdarg.h>

#define SAME(e, T) _Static_assert(__builtin_types_compatible_p(__typeof__(e), T), #e)
#define IS(e, v) _Static_assert((e) == (v), #e)

/* Literals. */
SAME(1, int);
SAME(2147483648, long);
SAME(0x80000000, unsigned int);
SAME(0xffffffffffffffff, unsigned long);
SAME(1u, unsigned int);
SAME(1l, long);
SAME(1ull, unsigned long long);
SAME(1.0, double);
SAME(1.0f, float);
SAME(1e3L, long double);
SAME('a', int);
SAME(L'a', int);
SAME("abc", char[4]);
SAME(L"ab", int[3]);
IS('\377', -1);
IS('\x41', 65);
IS('ab', 24930);
IS(sizeof("a\0b" "c\n"), 6);
IS(0b101, 5);
IS(010, 8);
IS(sizeof(u8"é"), 3);
IS((int)0x1.8p3, 12);
IS((int)1e2, 100);

/* Promotions and the usual conversions. */
char c;
signed char sc;
unsigned char uc;
short s;
unsigned short us;
int i;
unsigned int u;
long l;
unsigned long ul;
long long ll;
unsigned long long ull;
float f;
double d;
long double ld;
_Bool b;
__int128 i128;
unsigned __int128 u128;
int *p;
const int *cp;
void *vp;
int a[5];
int m[2][3];
SAME(c + c, int);
SAME(us + us, int);
SAME(-uc, int);
SAME(~us, int);
SAME(!l, int);
SAME(i + u, unsigned int);
SAME(u + l, long);
SAME(l + ul, unsigned long);
SAME(l + ll, long long);
SAME(ul + ll, unsigned long long);
SAME(f + i, float);
SAME(f + d, double);
SAME(d + ld, long double);
SAME(i128 + ul, __int128);
SAME(u128 + i, unsigned __int128);
SAME(b + b, int);
SAME(i << ll, int);
SAME(us << 1, int);
SAME(l < i, int);
SAME(l && i, int);
SAME(c ? c : c, int);
SAME(1 ? i : l, long);
SAME(1 ? p : 0, int *);
SAME(1 ? p : vp, void *);
SAME(1 ? cp : p, const int *);
SAME(1 ? (void *)0 : p, int *);
SAME((c, c), char);
SAME(c = 1, char);
SAME(c += 1, char);
SAME(c++, char);
SAME(p + 1, int *);
SAME(p - p, long);
SAME(&a, int(*)[5]);
SAME(a + 0, int *);
SAME(m[0], int[3]);
SAME(&m[0], int(*)[3]);
SAME(*m, int[3]);
SAME(&*p, int *);
SAME(sizeof i, unsigned long);
SAME(i ?: l, long);
SAME(+us, int);

/* Constants. */
IS(7 / -2, -3);
IS(7 % -2, 1);
IS(-7 >> 1, -4);
IS(1u - 2u, 4294967295u);
IS((unsigned char)300, 44);
IS((signed char)200, -56);
IS((_Bool)0.5, 1);
IS((int)3.9, 3);
IS((unsigned)-1 > 0, 1);
IS(-1 > 0u, 1);
IS(-1 < 0l, 1);
IS((long)(unsigned)-1, 4294967295l);
IS(INT_MAX + 0u, 2147483647u);
IS(~0, -1);
IS(!5, 0);
IS(1 ? 2 : 3, 2);
IS(0 || 2, 1);
IS(2 && 0, 0);
IS((unsigned __int128)-1 >> 127, 1);
IS((int)((__int128)1 << 100 >> 98), 4);
IS(1.5 + 1.5 == 3.0, 1);
IS((char)128 == -128, 1);
IS(sizeof(int[3][4]), 48);
IS((size_t)&((struct { int x; char y; } *)0)->y, 4);
IS(__builtin_clz(1), 31);
IS(__builtin_ctzl(8), 3);
IS(__builtin_popcount(255), 8);
IS(__builtin_bswap32(0x11223344), 0x44332211);
IS(__builtin_constant_p(3), 1);
IS(__builtin_choose_expr(1, 5, "x"), 5);
IS(__builtin_types_compatible_p(int, const int), 1);
IS(__builtin_types_compatible_p(int *, const int *), 0);
IS(__builtin_types_compatible_p(int[], int[3]), 1);
IS(__builtin_types_compatible_p(long, long long), 0);
IS(_Generic(c, int: 1, char: 2, default: 3), 2);
IS(_Generic(1.0f, double: 1, default: 3), 3);
IS(_Generic("x", char *: 1, default: 0), 1);
IS(_Generic(&a, int(*)[5]: 1, default: 0), 1);

/* Enumerations. */
enum small { SA, SB = 5, SC };
enum negative { NA = -1 };
enum large { LA = 0x100000000 };
enum packed { PA } __attribute__((packed));
IS(SC, 6);
SAME(SC, int);
IS(sizeof(enum small), 4);
SAME((enum small)0, unsigned int);
SAME((enum negative)0, int);
IS(sizeof(enum large), 8);
IS(sizeof(enum packed), 1);

/* Layout. */
struct s1 { char c; int i; char d; };
struct s2 { char c; short s; long l; };
struct s3 { char c; double d; } __attribute__((packed));
struct s4 { char c; int i __attribute__((aligned(16))); };
struct s5 { int a : 3; int b : 7; int c : 25; };
struct s6 { char c; int b : 4; };
struct s7 { int a : 4; int : 0; int b : 4; };
struct s8 { long a : 40; long b : 20; int c; };
struct s9 { char n; char data[]; };
struct s10 { int x; union { int y; long z; }; struct { char p, q; }; };
struct s11 { unsigned char a : 4, b : 4, c : 4; };
struct s12 { char a; int b : 31; int c : 2; } __attribute__((packed));
struct s13 { _Bool x : 1, y : 1; short s; };
struct s14 { };
union u1 { char c[5]; int i; };
struct s15 { long double ld; char c; };
struct s16 { __int128 x; char c; };
struct s17 { char a; struct s2 s; char b; };
struct s18 { char c; int x : 30; int y : 30; char d; };
IS(sizeof(struct s1), 12);
IS(sizeof(struct s2), 16);
IS(sizeof(struct s3), 9);
IS(sizeof(struct s4), 32);
IS(sizeof(struct s5), 8);
IS(sizeof(struct s6), 4);
IS(sizeof(struct s7), 8);
IS(sizeof(struct s8), 16);
IS(sizeof(struct s9), 1);
IS(sizeof(struct s10), 24);
IS(sizeof(struct s11), 2);
IS(sizeof(struct s12), 6);
IS(sizeof(struct s13), 4);
IS(sizeof(struct s14), 0);
IS(sizeof(union u1), 8);
IS(sizeof(struct s15), 32);
IS(sizeof(struct s16), 32);
IS(sizeof(struct s17), 32);
IS(sizeof(struct s18), 16);
IS(offsetof(struct s10, z), 8);
IS(offsetof(struct s10, q), 17);
IS(offsetof(struct s17, s.l), 16);
IS(offsetof(struct s8, c), 8);
IS(offsetof(struct s18, d), 12);
IS(_Alignof(struct s4), 16);
IS(_Alignof(long double), 16);
IS(__alignof__(short), 2);
IS(sizeof(va_list), 24);

/* Modes. */
typedef int mode8 __attribute__((__mode__(__QI__)));
typedef unsigned int modeu64 __attribute__((__mode__(__DI__)));
SAME((mode8)0, signed char);
SAME((modeu64)0, unsigned long);

/* Initialisers complete arrays. */
int i1[] = { 1, 2, 3 };
int i2[] = { [5] = 1, 2 };
int i3[][2] = { 1, 2, 3 };
char i4[] = "abc";
char i5[] = { "abcd" };
char i6[3] = "abc";
int i7[] = { [2 ... 4] = 7 };
struct s1 i8[] = { 1, 2, 3, { 4 }, 5 };
struct { int a[3]; int b; } i9[] = { { { 1 } }, [3].a[1] = 4, 5, 6 };
IS(sizeof i1, 12);
IS(sizeof i2, 28);
IS(sizeof i3, 16);
IS(sizeof i4, 4);
IS(sizeof i5, 5);
IS(sizeof i6, 3);
IS(sizeof i7, 20);
IS(sizeof i8, 36);
IS(sizeof i9, 64);

/* Declarators. */
int *(*fp1)(int, char *[]);
SAME(fp1, int *(*)(int, char **));
SAME(fp1(1, 0), int *);
SAME(*fp1, int *(int, char **));
int (*fp2[3])(void);
SAME(fp2[0](), int);
void (*signal_like(int sig, void (*func)(int)))(int);
SAME(signal_like(1, 0), void (*)(int));
typedef int T;
int shadow(void) {
    T T = 3;
    return T + sizeof(T);
}
unsigned volatile long const int *weird;
SAME(*weird, const volatile unsigned long);
SAME((unsigned volatile long const int)0, unsigned long);
