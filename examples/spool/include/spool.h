/* A queue of print jobs that threads put in and take out. */
#ifndef SPOOL_H
#define SPOOL_H

struct spool;

struct spool *spool_new(void);
void spool_put(struct spool *spool, int job);
int spool_take(struct spool *spool);

#endif
