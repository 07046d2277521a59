/* <stdio.h>, <unistd.h>, <sys/socket.h>: reading. What is read is an input, or what `--stdin` gives. */
typedef __typeof__(sizeof(0)) size;
typedef __typeof__((char *)0 - (char *)0) ssize;
long long __selvedge_input(long long, long long);
int __selvedge_choice(void);
int __selvedge_fails(int, ...);
void __selvedge_fill(void *, size);
long long __selvedge_approximation(long long, long long);
void *__selvedge_standard(int);
int __selvedge_calls(const char *, ...);
void __selvedge_refuse(const char *);
/* What `--stdin` gives: its length (-1: it is not given), its bytes, how many of them were read and whether more were wanted. */
long long __selvedge_given(void);
const char *__selvedge_given_text(void);
long long *__selvedge_given_position(void);

enum {
    EINTR = 4, EIO = 5, EBADF = 9, EAGAIN = 11, ENOMEM = 12, EISDIR = 21, EINVAL = 22, ESPIPE = 29, ENOTSOCK = 88,
    ECONNRESET = 104, ENOTCONN = 107, ECONNREFUSED = 111
};
enum { EOF = -1 };

static void use(void *file)
{
    (void)*(volatile char *)file;
}

/* Any number up to a bound. */
static size at_most(size bound)
{
    unsigned long long n = __selvedge_input(0, 0x7fffffffffffffff);
    return n < bound ? n : bound;
}

static void note_end(int value)
{
    if (__selvedge_calls("feof"))
        __atomic_store_n(__selvedge_given_position() + 1, value, 5);
}

static long long position(void)
{
    return __atomic_load_n(__selvedge_given_position(), 5);
}

/* A call takes its bytes in one step. Fails if another thread was faster. */
static int taken(long long from, long long to)
{
    return __sync_bool_compare_and_swap(__selvedge_given_position(), from, to);
}

static int given_character(void)
{
    for (;;) {
        long long at = position();
        if (at >= __selvedge_given()) {
            note_end(1);
            return EOF;
        }
        if (taken(at, at + 1))
            return (unsigned char)__selvedge_given_text()[at];
    }
}

/* A character, the end of the file, or an error, which is told apart. */
static int next(int *error)
{
    if (__selvedge_choice())
        return (int)__selvedge_input(0, 255);
    *error = __selvedge_fails(EIO, EBADF, EAGAIN, EINTR);
    return EOF;
}

static int __selvedge_lib_fgetc(void *file)
{
    int error = 0;
    use(file);
    if (__selvedge_given() >= 0)
        if (file == __selvedge_standard(0))
            return given_character();
    return next(&error);
}

static int __selvedge_lib_getc(void *file) { return __selvedge_lib_fgetc(file); }
static int __selvedge_lib_getchar(void) { return __selvedge_lib_fgetc(__selvedge_standard(0)); }
static int __selvedge_lib_getc_unlocked(void *file) { return __selvedge_lib_fgetc(file); }
static int __selvedge_lib_getchar_unlocked(void) { return __selvedge_lib_fgetc(__selvedge_standard(0)); }
static int __selvedge_lib__IO_getc(void *file) { return __selvedge_lib_fgetc(file); }

/* Only the character that was read last can be put back into what `--stdin` gives. */
static int given_back(int c)
{
    if (c == EOF)
        return EOF;
    long long at = position();
    if (at == 0 || __selvedge_given_text()[at - 1] != (char)c || !taken(at, at - 1))
        __selvedge_refuse("`ungetc` of another character than the one that was read last, with `--stdin`");
    note_end(0);
    return (unsigned char)c;
}

static int __selvedge_lib_ungetc(int c, void *file)
{
    use(file);
    if (__selvedge_given() >= 0)
        if (file == __selvedge_standard(0))
            return given_back(c);
    return c == EOF || __selvedge_choice() ? EOF : (unsigned char)c;
}

/* A line with its end, or as much of it as there is room for; the number of characters. */
static long long given_line(char *s, long long room)
{
    for (;;) {
        long long at = position(), end = at;
        int whole = 0;
        while (end < __selvedge_given() && end - at < room && !whole) {
            whole = __selvedge_given_text()[end] == '\n';
            end++;
        }
        if (!taken(at, end))
            continue;
        if (!whole && end - at < room)
            note_end(1);
        for (long long i = at; i < end; i++)
            s[i - at] = __selvedge_given_text()[i];
        return end - at;
    }
}

static char *__selvedge_lib_fgets(char *s, int limit, void *file)
{
    int i = 0, error = 0;
    use(file);
    if (__selvedge_given() >= 0) {
        if (file == __selvedge_standard(0)) {
            i = limit > 1 ? (int)given_line(s, limit - 1) : 0;
            if (limit < 1 || (i == 0 && limit > 1))
                return 0;
            s[i] = 0;
            return s;
        }
    }
    while (i < limit - 1) {
        int c = next(&error);
        if (error)
            return 0;
        if (c == EOF)
            break;
        s[i++] = c;
        if (c == '\n')
            break;
    }
    if (limit < 1 || (i == 0 && limit > 1))
        return 0;
    s[i] = 0;
    return s;
}

static char *__selvedge_lib_gets(char *s)
{
    size i = 0;
    int error = 0;
    if (__selvedge_given() >= 0) {
        i = given_line(s, 0x7fffffffffffffff);
        if (i == 0)
            return 0;
        s[s[i - 1] == '\n' ? i - 1 : i] = 0;
        return s;
    }
    for (;;) {
        int c = next(&error);
        if (error)
            return 0;
        if (c == '\n' || (c == EOF && i > 0))
            break;
        if (c == EOF)
            return 0;
        s[i++] = c;
    }
    s[i] = 0;
    return s;
}

/* This many bytes, or as many as are left. */
static size given_bytes(char *to, size count)
{
    for (;;) {
        long long at = position();
        size left = at < __selvedge_given() ? __selvedge_given() - at : 0, got = count < left ? count : left;
        if (!taken(at, at + (long long)got))
            continue;
        if (got < count)
            note_end(1);
        for (size i = 0; i < got; i++)
            to[i] = __selvedge_given_text()[at + (long long)i];
        return got;
    }
}

static size __selvedge_lib_fread(void *to, size width, size count, void *file)
{
    use(file);
    if (width == 0 || count == 0)
        return 0;
    if (__selvedge_given() >= 0)
        if (file == __selvedge_standard(0))
            return given_bytes(to, width * count) / width;
    /* The last element may be read in part. */
    size bytes = at_most(width * count);
    __selvedge_fill(to, bytes);
    if (bytes < width * count)
        __selvedge_fails(EIO, EBADF, EAGAIN, EINTR);
    return bytes / width;
}

/* What a stream is and where it stands follows from what was done with it before, which is not kept. */
static int __selvedge_lib_feof(void *file)
{
    use(file);
    if (__selvedge_given() >= 0)
        if (file == __selvedge_standard(0))
            return __atomic_load_n(__selvedge_given_position() + 1, 5) != 0;
    return (int)__selvedge_approximation(0, 1);
}

static int __selvedge_lib_ferror(void *file)
{
    use(file);
    if (__selvedge_given() >= 0)
        if (file == __selvedge_standard(0))
            return 0;
    return (int)__selvedge_approximation(0, 1);
}

static void __selvedge_lib_clearerr(void *file)
{
    use(file);
    if (__selvedge_given() >= 0)
        if (file == __selvedge_standard(0))
            note_end(0);
}

static void __selvedge_lib_rewind(void *file)
{
    use(file);
    if (__selvedge_given() >= 0)
        if (file == __selvedge_standard(0))
            __selvedge_refuse("a new position in what `--stdin` gives");
}

static int __selvedge_lib_fileno(void *file)
{
    use(file);
    if (file == __selvedge_standard(0))
        return 0;
    if (file == __selvedge_standard(1))
        return 1;
    if (file == __selvedge_standard(2))
        return 2;
    return (int)__selvedge_approximation(-1, 0x7fffffff);
}

static int __selvedge_lib_fseek(void *file, long offset, int from)
{
    use(file);
    if (__selvedge_given() >= 0)
        if (file == __selvedge_standard(0))
            __selvedge_refuse("a new position in what `--stdin` gives");
    return __selvedge_fails(EBADF, EINVAL, ESPIPE) ? -1 : 0;
}

static long __selvedge_lib_ftell(void *file)
{
    use(file);
    return (long)__selvedge_approximation(-1, 0x7fffffffffffffff);
}

/* Descriptors. A stream reads more than was asked for, which a descriptor then does not get. */
static ssize __selvedge_lib_read(int number, void *to, size count)
{
    if (__selvedge_given() >= 0) {
        if (number == 0) {
            if (__selvedge_calls("getchar", "getc", "fgetc", "getchar_unlocked", "getc_unlocked", "_IO_getc", "fgets", "gets",
                                 "fread", "scanf", "fscanf", "__isoc99_scanf", "__isoc99_fscanf"))
                __selvedge_refuse("`read` beside functions of streams, with `--stdin`");
            return given_bytes(to, count);
        }
    }
    if (__selvedge_fails(EAGAIN, EBADF, EINTR, EINVAL, EIO, EISDIR))
        return -1;
    size got = at_most(count);
    __selvedge_fill(to, got);
    return got;
}

static ssize __selvedge_lib_pread(int number, void *to, size count, long offset)
{
    if (__selvedge_given() >= 0 && number == 0)
        __selvedge_refuse("a position in what `--stdin` gives");
    if (__selvedge_fails(EAGAIN, EBADF, EINTR, EINVAL, EIO, EISDIR))
        return -1;
    size got = at_most(count);
    __selvedge_fill(to, got);
    return got;
}

static ssize __selvedge_lib_recv(int number, void *to, size count, int flags)
{
    if (__selvedge_fails(EAGAIN, EBADF, ECONNREFUSED, EINTR, EINVAL, ENOMEM, ENOTCONN, ENOTSOCK, ECONNRESET))
        return -1;
    size got = at_most(count);
    __selvedge_fill(to, got);
    return got;
}
