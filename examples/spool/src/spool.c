#include "spool.h"
#include <pthread.h>
#include <stdlib.h>

#ifndef SPOOL_SIZE
#error "SPOOL_SIZE is not set: the Makefile does it"
#endif

struct spool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int count;
    int jobs[SPOOL_SIZE];
};

struct spool *spool_new(void)
{
    struct spool *spool = malloc(sizeof *spool);
    if (!spool)
        abort();
    pthread_mutex_init(&spool->lock, NULL);
    pthread_cond_init(&spool->changed, NULL);
    spool->count = 0;
    return spool;
}

void spool_put(struct spool *spool, int job)
{
    pthread_mutex_lock(&spool->lock);
    while (spool->count == SPOOL_SIZE)
        pthread_cond_wait(&spool->changed, &spool->lock);
    spool->jobs[spool->count++] = job;
    pthread_cond_broadcast(&spool->changed);
    pthread_mutex_unlock(&spool->lock);
}

int spool_take(struct spool *spool)
{
    pthread_mutex_lock(&spool->lock);
    while (spool->count == 0)
        pthread_cond_wait(&spool->changed, &spool->lock);
    int job = spool->jobs[--spool->count];
    pthread_cond_broadcast(&spool->changed);
    pthread_mutex_unlock(&spool->lock);
    return job;
}
