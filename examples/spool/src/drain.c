/* Another program of the project: takes one job and ends. */
#include "spool.h"
#include <assert.h>

int main(void)
{
    struct spool *spool = spool_new();
    spool_put(spool, 3);
    assert(spool_take(spool) == 3);
    return 0;
}
