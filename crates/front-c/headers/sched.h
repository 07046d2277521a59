/* Selvedge's own <sched.h>. */
#ifndef SELVEDGE_SCHED_H
#define SELVEDGE_SCHED_H
#include <sys/types.h>
#include <selvedge/timespec.h>
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#ifndef _BITS_TYPES_STRUCT_SCHED_PARAM
#define _BITS_TYPES_STRUCT_SCHED_PARAM 1
struct sched_param {
    int sched_priority;
};
#endif
#ifndef _BITS_CPU_SET_H
#define _BITS_CPU_SET_H 1
typedef struct { unsigned long __bits[16]; } cpu_set_t;
#define CPU_ZERO(set) ((void)(set))
#define CPU_SET(cpu, set) ((void)(cpu), (void)(set))
#define CPU_CLR(cpu, set) ((void)(cpu), (void)(set))
#endif
int sched_yield(void);
int sched_get_priority_max(int);
int sched_get_priority_min(int);
int sched_setscheduler(pid_t, int, const struct sched_param *);
int sched_setaffinity(pid_t, size_t, const cpu_set_t *);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
int sched_getcpu(void);
#endif
