/* <stdlib.h>: allocation through a pointer to the function, as tables of allocators have it. */
typedef __typeof__(sizeof(0)) size;
void *malloc(size);
void *calloc(size, size);
void *realloc(void *, size);
void free(void *);

static void *__selvedge_lib_taken_malloc(size bytes)
{
    return malloc(bytes);
}

static void *__selvedge_lib_taken_calloc(size count, size bytes)
{
    return calloc(count, bytes);
}

static void *__selvedge_lib_taken_realloc(void *old, size bytes)
{
    return realloc(old, bytes);
}

static void __selvedge_lib_taken_free(void *old)
{
    free(old);
}
