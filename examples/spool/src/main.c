#include "spool.h"
#include "stats.h"
#include <pthread.h>
#include <stdio.h>

#define PRINTERS 2

static void *printer(void *spool)
{
    stats_add(spool_take(spool));
    return NULL;
}

int main(void)
{
    struct spool *spool = spool_new();
    pthread_t printers[PRINTERS];
    for (int i = 0; i < PRINTERS; i++)
        pthread_create(&printers[i], NULL, printer, spool);
    for (int i = 0; i < PRINTERS; i++)
        spool_put(spool, i + 1);
    for (int i = 0; i < PRINTERS; i++)
        pthread_join(printers[i], NULL);
    printf("%d pages\n", stats_pages());
    return 0;
}
