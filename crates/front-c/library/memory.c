/* <stdlib.h>: allocation through a pointer to the function, as tables of allocators have it. <sys/mman.h>. */
typedef __typeof__(sizeof(0)) size;
void *malloc(size);
void *calloc(size, size);
void *realloc(void *, size);
void free(void *);
size __selvedge_size(const void *);
void __selvedge_set_errno(int);
void __selvedge_refuse(const char *);

enum { EINVAL = 22, FIXED = 0x10, ANONYMOUS = 0x20, PAGE = 4096 };

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

/* Memory without a file is zero. */
static void *__selvedge_lib_mmap(void *where, size length, int protection, int flags, int file, long offset)
{
    if (!(flags & ANONYMOUS) || (flags & FIXED))
        __selvedge_refuse("`mmap` of a file or at an address");
    if (length == 0) {
        __selvedge_set_errno(EINVAL);
        return (void *)-1;
    }
    void *made = calloc(1, length);
    return made ? made : (void *)-1;
}

static int __selvedge_lib_munmap(void *start, size length)
{
    if (length + PAGE <= __selvedge_size(start))
        __selvedge_refuse("`munmap` of a part");
    free(start);
    return 0;
}
