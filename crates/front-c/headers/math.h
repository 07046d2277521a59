/* Selvedge's own <math.h>. */
#ifndef SELVEDGE_MATH_H
#define SELVEDGE_MATH_H
typedef float float_t;
typedef double double_t;
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define M_E 2.7182818284590452354
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_SQRT2 1.41421356237309504880
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define isnan(x) ((x) != (x))
#define isinf(x) ((x) == INFINITY || (x) == -INFINITY)
#define isfinite(x) ((x) - (x) == 0)
#define isnormal(x) __builtin_isnormal(x)
#define signbit(x) __builtin_signbit(x)
#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define SELVEDGE_ONE(name) double name(double); float name##f(float); long double name##l(long double);
#define SELVEDGE_TWO(name) \
    double name(double, double); float name##f(float, float); long double name##l(long double, long double);
SELVEDGE_ONE(acos)
SELVEDGE_ONE(asin)
SELVEDGE_ONE(atan)
SELVEDGE_ONE(cos)
SELVEDGE_ONE(sin)
SELVEDGE_ONE(tan)
SELVEDGE_ONE(cosh)
SELVEDGE_ONE(sinh)
SELVEDGE_ONE(tanh)
SELVEDGE_ONE(acosh)
SELVEDGE_ONE(asinh)
SELVEDGE_ONE(atanh)
SELVEDGE_ONE(exp)
SELVEDGE_ONE(exp2)
SELVEDGE_ONE(expm1)
SELVEDGE_ONE(log)
SELVEDGE_ONE(log10)
SELVEDGE_ONE(log1p)
SELVEDGE_ONE(log2)
SELVEDGE_ONE(sqrt)
SELVEDGE_ONE(cbrt)
SELVEDGE_ONE(fabs)
SELVEDGE_ONE(ceil)
SELVEDGE_ONE(floor)
SELVEDGE_ONE(trunc)
SELVEDGE_ONE(round)
SELVEDGE_ONE(rint)
SELVEDGE_ONE(nearbyint)
SELVEDGE_ONE(tgamma)
SELVEDGE_ONE(lgamma)
SELVEDGE_ONE(erf)
SELVEDGE_ONE(erfc)
SELVEDGE_TWO(pow)
SELVEDGE_TWO(atan2)
SELVEDGE_TWO(fmod)
SELVEDGE_TWO(hypot)
SELVEDGE_TWO(fmin)
SELVEDGE_TWO(fmax)
SELVEDGE_TWO(fdim)
SELVEDGE_TWO(remainder)
SELVEDGE_TWO(copysign)
double fma(double, double, double);
double frexp(double, int *);
double ldexp(double, int);
double modf(double, double *);
long lround(double);
long lrint(double);
long long llround(double);
#undef SELVEDGE_ONE
#undef SELVEDGE_TWO
#endif
