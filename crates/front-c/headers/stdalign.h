/* Selvedge's own <stdalign.h>. */
#ifndef SELVEDGE_STDALIGN_H
#define SELVEDGE_STDALIGN_H
#define alignas _Alignas
#define alignof _Alignof
#define __alignas_is_defined 1
#define __alignof_is_defined 1
#endif
