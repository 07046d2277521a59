/* Selvedge's own <memory.h>. */
#include <string.h>
