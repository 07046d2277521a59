/* struct timespec and struct timeval, once, also beside the system's headers. */
#ifndef _STRUCT_TIMESPEC
#define _STRUCT_TIMESPEC 1
struct timespec {
    long tv_sec;
    long tv_nsec;
};
#endif
#ifndef __timeval_defined
#define __timeval_defined 1
struct timeval {
    long tv_sec;
    long tv_usec;
};
#endif
