/* What was printed. */
#ifndef STATS_H
#define STATS_H

void stats_add(int pages);
int stats_pages(void);

#endif
