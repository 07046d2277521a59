/* <stdio.h>, <unistd.h>, <sys/socket.h>: streams and descriptors. What is read is an input. */
typedef __typeof__(sizeof(0)) size;
typedef __typeof__((char *)0 - (char *)0) ssize;
long long __selvedge_input(long long, long long);
int __selvedge_choice(void);
int __selvedge_fails(int, ...);
void __selvedge_fill(void *, size);
void __selvedge_read(const void *, size);
void __selvedge_text(const char *);
int __selvedge_wanted(void);
long long __selvedge_approximation(long long, long long);
void __selvedge_assume(int);
void *__selvedge_standard(int);

enum {
    ENOENT = 2, EINTR = 4, EIO = 5, EBADF = 9, EAGAIN = 11, ENOMEM = 12, EACCES = 13, EEXIST = 17, ENOTDIR = 20,
    EISDIR = 21, EINVAL = 22, ENFILE = 23, EMFILE = 24, ENOTTY = 25, EFBIG = 27, ENOSPC = 28, ESPIPE = 29,
    EROFS = 30, EPIPE = 32, ENAMETOOLONG = 36, ELOOP = 40, ENOTSOCK = 88, ECONNRESET = 104, ENOTCONN = 107,
    ECONNREFUSED = 111
};
enum { EOF = -1 };

/* Any number up to a bound. */
static size at_most(size bound)
{
    unsigned long long n = __selvedge_input(0, 0x7fffffffffffffff);
    return n < bound ? n : bound;
}

/* A stream is an object of its own: closing it twice is undefined behaviour, and so is the use of a null or closed one. */
static void *stream(void)
{
    return __builtin_malloc(1);
}

static void use(void *file)
{
    (void)*(volatile char *)file;
}

/* Descriptors that were given and not closed are not given again; only the first ones are looked after. */
static unsigned long long given;

static int descriptor(void)
{
    if (!__selvedge_choice())
        return (int)__selvedge_approximation(64, 0x7fffffff);
    int number = (int)__selvedge_input(0, 63);
    unsigned long long bit = 1ull << number;
    __selvedge_assume(!(__sync_fetch_and_or(&given, bit) & bit));
    return number;
}

static void *__selvedge_lib_fopen(const char *name, const char *mode)
{
    __selvedge_text(name);
    __selvedge_text(mode);
    if (__selvedge_fails(ENOENT, EACCES, EEXIST, EISDIR, EINVAL, EMFILE, ENFILE, ENOMEM, ENOTDIR, ENAMETOOLONG, EROFS))
        return 0;
    return stream();
}

static void *__selvedge_lib_fdopen(int number, const char *mode)
{
    __selvedge_text(mode);
    return __selvedge_fails(EBADF, EINVAL, ENOMEM) ? 0 : stream();
}

static void *__selvedge_lib_tmpfile(void)
{
    return __selvedge_fails(EACCES, EMFILE, ENOSPC, EROFS) ? 0 : stream();
}

static void close_stream(void *file)
{
    use(file);
    __builtin_free(file);
}

static int __selvedge_lib_fclose(void *file)
{
    if (file != __selvedge_standard(0) && file != __selvedge_standard(1) && file != __selvedge_standard(2))
        close_stream(file);
    return __selvedge_wanted() && __selvedge_fails(EBADF, EIO, ENOSPC) ? EOF : 0;
}

static int __selvedge_lib_fflush(void *file)
{
    if (file)
        use(file);
    return __selvedge_wanted() && __selvedge_fails(EBADF, EIO, ENOSPC, EPIPE) ? EOF : 0;
}

static int __selvedge_lib_fputc(int c, void *file)
{
    use(file);
    return __selvedge_wanted() && __selvedge_fails(EBADF, EIO, ENOSPC, EPIPE) ? EOF : (unsigned char)c;
}

static int __selvedge_lib_putc(int c, void *file) { return __selvedge_lib_fputc(c, file); }
static int __selvedge_lib_putchar(int c) { return __selvedge_lib_fputc(c, __selvedge_standard(1)); }

static int __selvedge_lib_fputs(const char *s, void *file)
{
    __selvedge_text(s);
    use(file);
    if (!__selvedge_wanted())
        return 0;
    return __selvedge_fails(EBADF, EIO, ENOSPC, EPIPE) ? EOF : (int)__selvedge_input(0, 0x7fffffff);
}

static int __selvedge_lib_puts(const char *s) { return __selvedge_lib_fputs(s, __selvedge_standard(1)); }

static void __selvedge_lib_perror(const char *s)
{
    if (s)
        __selvedge_text(s);
}

static size __selvedge_lib_fwrite(const void *from, size width, size count, void *file)
{
    use(file);
    __selvedge_read(from, width * count);
    if (!__selvedge_wanted())
        return 0;
    size put = at_most(count);
    if (put < count)
        __selvedge_fails(EIO, EBADF, ENOSPC, EPIPE);
    return width == 0 ? 0 : put;
}

/* The buffer is the stream's from now on. */
static int __selvedge_lib_setvbuf(void *file, char *buffer, int mode, size length)
{
    if (buffer)
        __selvedge_fill(buffer, length);
    return __selvedge_wanted() && __selvedge_choice() ? -1 : 0;
}

static void __selvedge_lib_setbuf(void *file, char *buffer)
{
    if (buffer)
        __selvedge_fill(buffer, 8192);
}

/* Descriptors. */
static ssize __selvedge_lib_write(int number, const void *from, size count)
{
    __selvedge_read(from, count);
    if (!__selvedge_wanted())
        return 0;
    if (__selvedge_fails(EAGAIN, EBADF, EFBIG, EINTR, EINVAL, EIO, ENOSPC, EPIPE))
        return -1;
    return at_most(count);
}

static ssize __selvedge_lib_pwrite(int number, const void *from, size count, long offset)
{
    return __selvedge_lib_write(number, from, count);
}

static ssize __selvedge_lib_send(int number, const void *from, size count, int flags)
{
    __selvedge_read(from, count);
    if (!__selvedge_wanted())
        return 0;
    if (__selvedge_fails(EAGAIN, EBADF, ECONNRESET, EINTR, EINVAL, ENOMEM, ENOTCONN, ENOTSOCK, EPIPE))
        return -1;
    return at_most(count);
}

static int __selvedge_lib_close(int closed)
{
    if (closed >= 0 && closed < 64)
        __sync_fetch_and_and(&given, ~(1ull << closed));
    return __selvedge_wanted() && __selvedge_fails(EBADF, EINTR, EIO) ? -1 : 0;
}

static int __selvedge_lib_fsync(int number) { return __selvedge_wanted() && __selvedge_fails(EBADF, EINTR, EIO, EROFS) ? -1 : 0; }

static int __selvedge_lib_dup(int old)
{
    if (__selvedge_fails(EBADF, EMFILE))
        return -1;
    int copy = descriptor();
    __selvedge_assume(copy != old);
    return copy;
}

static int __selvedge_lib_open(const char *name, int flags, ...)
{
    __selvedge_text(name);
    if (__selvedge_fails(ENOENT, EACCES, EEXIST, EISDIR, EINVAL, EMFILE, ENFILE, ENOMEM, ENOTDIR, ENAMETOOLONG, EROFS))
        return -1;
    return descriptor();
}

static int __selvedge_lib_pipe(int *ends)
{
    if (__selvedge_fails(EMFILE, ENFILE))
        return -1;
    ends[0] = descriptor();
    ends[1] = descriptor();
    __selvedge_assume(ends[0] != ends[1]);
    return 0;
}

static int path_call(const char *name)
{
    __selvedge_text(name);
    return __selvedge_fails(ENOENT, EACCES, EIO, ENOTDIR, ENAMETOOLONG, ELOOP, EROFS) ? -1 : 0;
}

static int __selvedge_lib_unlink(const char *name) { return path_call(name); }
static int __selvedge_lib_remove(const char *name) { return path_call(name); }
static int __selvedge_lib_rmdir(const char *name) { return path_call(name); }
static int __selvedge_lib_chdir(const char *name) { return path_call(name); }
static int __selvedge_lib_access(const char *name, int mode) { return path_call(name); }

static int __selvedge_lib_rename(const char *from, const char *to)
{
    __selvedge_text(to);
    return path_call(from);
}

static int __selvedge_lib_isatty(int number) { return __selvedge_fails(EBADF, ENOTTY) ? 0 : 1; }

struct pollfd {
    int fd;
    short events, revents;
};

static int __selvedge_lib_poll(struct pollfd *ends, unsigned long count, int timeout)
{
    if (__selvedge_fails(EINTR, EINVAL, ENOMEM))
        return -1;
    int ready = 0;
    for (unsigned long i = 0; i < count; i++) {
        short got = (short)__selvedge_input(-32768, 32767);
        ends[i].revents = got;
        if (got)
            ready++;
    }
    return ready;
}

/* Those that are ready stay in the set. */
static int ready_of(int count, long *set)
{
    int ready = 0;
    if (set)
        for (int i = 0; i * (int)sizeof(long) * 8 < count; i++) {
            set[i] &= (long)__selvedge_input(-0x7fffffffffffffff - 1, 0x7fffffffffffffff);
            ready += __builtin_popcountl(set[i]);
        }
    return ready;
}

static int __selvedge_lib_select(int count, long *in, long *out, long *wrong, long *timeout)
{
    if (__selvedge_fails(EBADF, EINTR, EINVAL, ENOMEM))
        return -1;
    if (timeout) {
        timeout[0] = at_most(timeout[0]);
        timeout[1] = (long)__selvedge_input(0, 999999);
    }
    return ready_of(count, in) + ready_of(count, out) + ready_of(count, wrong);
}
