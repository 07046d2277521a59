/* Selvedge's own <stdlib.h>. */
#ifndef SELVEDGE_STDLIB_H
#define SELVEDGE_STDLIB_H
#include <stddef.h>
#include <sys/types.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
#define MB_CUR_MAX 1
typedef struct { int quot; int rem; } div_t;
typedef struct { long quot; long rem; } ldiv_t;
typedef struct { long long quot; long long rem; } lldiv_t;
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *reallocarray(void *, size_t, size_t);
void *aligned_alloc(size_t, size_t);
void *memalign(size_t, size_t);
int posix_memalign(void **, size_t, size_t);
void *valloc(size_t);
void free(void *);
void *alloca(size_t);
#define alloca(size) __builtin_alloca(size)
void abort(void) __attribute__((__noreturn__));
void exit(int) __attribute__((__noreturn__));
void _Exit(int) __attribute__((__noreturn__));
void quick_exit(int) __attribute__((__noreturn__));
int atexit(void (*)(void));
int at_quick_exit(void (*)(void));
int on_exit(void (*)(int, void *), void *);
int rand(void);
void srand(unsigned int);
int rand_r(unsigned int *);
long random(void);
void srandom(unsigned int);
double drand48(void);
long lrand48(void);
long mrand48(void);
void srand48(long);
int atoi(const char *);
long atol(const char *);
long long atoll(const char *);
double atof(const char *);
long strtol(const char *__restrict, char **__restrict, int);
unsigned long strtoul(const char *__restrict, char **__restrict, int);
long long strtoll(const char *__restrict, char **__restrict, int);
unsigned long long strtoull(const char *__restrict, char **__restrict, int);
double strtod(const char *__restrict, char **__restrict);
float strtof(const char *__restrict, char **__restrict);
int abs(int);
long labs(long);
long long llabs(long long);
div_t div(int, int);
ldiv_t ldiv(long, long);
lldiv_t lldiv(long long, long long);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
char *getenv(const char *);
int setenv(const char *, const char *, int);
int unsetenv(const char *);
int putenv(char *);
int system(const char *);
int mkstemp(char *);
char *mkdtemp(char *);
char *realpath(const char *__restrict, char *__restrict);
#endif
