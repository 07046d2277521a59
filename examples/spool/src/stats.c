#include "stats.h"

static int pages;

void stats_add(int more)
{
    pages += more;
}

int stats_pages(void)
{
    return pages;
}
