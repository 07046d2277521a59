/* Selvedge's own <stdnoreturn.h>. */
#ifndef SELVEDGE_STDNORETURN_H
#define SELVEDGE_STDNORETURN_H
#define noreturn _Noreturn
#endif
