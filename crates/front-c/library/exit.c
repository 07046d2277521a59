/* <stdlib.h>: what runs when the program ends. */
void __selvedge_refuse(const char *);

static void (*handlers[64])(void);
static int count;

static int __selvedge_lib_atexit(void (*handler)(void))
{
    int at = __sync_fetch_and_add(&count, 1);
    if (at >= 64)
        __selvedge_refuse("more than 64 functions given to `atexit`");
    handlers[at] = handler;
    return 0;
}

/* This unit comes last, so that this runs before the destructors of the program. A handler may register others. */
__attribute__((destructor)) static void run_handlers(void)
{
    while (count > 0) {
        count = count - 1;
        handlers[count]();
    }
}
