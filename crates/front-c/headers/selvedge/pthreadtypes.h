/* The thread types. Selvedge knows them by name; only the kind of a mutex is looked at. */
#ifndef _BITS_PTHREADTYPES_COMMON_H
#define _BITS_PTHREADTYPES_COMMON_H 1
#define __have_pthread_attr_t 1
typedef unsigned long pthread_t;
typedef struct { int __kind; } pthread_mutexattr_t;
typedef struct { int __selvedge; } pthread_condattr_t;
typedef unsigned int pthread_key_t;
typedef int pthread_once_t;
typedef struct { long __selvedge[sizeof(long) == 8 ? 7 : 9]; } pthread_attr_t;
typedef struct { __attribute__((__aligned__(sizeof(long)))) int __kind; int __selvedge[sizeof(long) == 8 ? 9 : 5]; } pthread_mutex_t;
typedef struct { long long __selvedge[6]; } pthread_cond_t;
typedef struct { long __selvedge[sizeof(long) == 8 ? 7 : 8]; } pthread_rwlock_t;
typedef struct { long __selvedge[8 / sizeof(long)]; } pthread_rwlockattr_t;
typedef volatile int pthread_spinlock_t;
typedef struct { long __selvedge[sizeof(long) == 8 ? 4 : 5]; } pthread_barrier_t;
typedef struct { int __selvedge; } pthread_barrierattr_t;
#endif
