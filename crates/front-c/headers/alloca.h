/* Selvedge's own <alloca.h>. */
#include <stdlib.h>
