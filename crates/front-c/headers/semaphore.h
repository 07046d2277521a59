/* Selvedge's own <semaphore.h>. */
#ifndef SELVEDGE_SEMAPHORE_H
#define SELVEDGE_SEMAPHORE_H
#include <sys/types.h>
#include <selvedge/timespec.h>
typedef struct { long __selvedge[4]; } sem_t;
#define SEM_FAILED ((sem_t *)0)
#ifndef SEM_VALUE_MAX
#define SEM_VALUE_MAX 2147483647
#endif
int sem_init(sem_t *, int, unsigned int);
int sem_destroy(sem_t *);
sem_t *sem_open(const char *, int, ...);
int sem_close(sem_t *);
int sem_unlink(const char *);
int sem_wait(sem_t *);
int sem_timedwait(sem_t *__restrict, const struct timespec *__restrict);
int sem_trywait(sem_t *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *__restrict, int *__restrict);
#endif
