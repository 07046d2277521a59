/* Selvedge's own <malloc.h>. */
#include <stdlib.h>
