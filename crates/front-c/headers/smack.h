/* The functions that SMACK's programs call. */
#ifndef SELVEDGE_SMACK_H
#define SELVEDGE_SMACK_H
void __VERIFIER_assume(int condition);
void __VERIFIER_assert(int condition);
void __VERIFIER_error(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
signed char __VERIFIER_nondet_signed_char(void);
unsigned char __VERIFIER_nondet_unsigned_char(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_unsigned_short(void);
int __VERIFIER_nondet_int(void);
int __VERIFIER_nondet(void);
unsigned int __VERIFIER_nondet_uint(void);
unsigned int __VERIFIER_nondet_unsigned_int(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
unsigned long __VERIFIER_nondet_unsigned_long(void);
long long __VERIFIER_nondet_long_long(void);
unsigned long long __VERIFIER_nondet_unsigned_long_long(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
void *__VERIFIER_nondet_pointer(void);
#undef assert
#define assert(condition) __VERIFIER_assert(condition)
#undef assume
#define assume(condition) __VERIFIER_assume(condition)
#endif
