/* Selvedge's own <sys/time.h>. */
#ifndef SELVEDGE_SYS_TIME_H
#define SELVEDGE_SYS_TIME_H
#include <sys/types.h>
#include <selvedge/timespec.h>
struct timezone {
    int tz_minuteswest;
    int tz_dsttime;
};
int gettimeofday(struct timeval *__restrict, void *__restrict);
int settimeofday(const struct timeval *, const struct timezone *);
#endif
