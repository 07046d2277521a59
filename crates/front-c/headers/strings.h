/* Selvedge's own <strings.h>. */
#include <string.h>
