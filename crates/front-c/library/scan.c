/* <stdio.h>: `sscanf`, and `scanf` of what `--stdin` gives. */
typedef __typeof__(sizeof(0)) size;
typedef __builtin_va_list list;
void __selvedge_refuse(const char *);
double __selvedge_approximate_double(void);
void *__selvedge_standard(int);
long long __selvedge_given(void);
const char *__selvedge_given_text(void);
long long *__selvedge_given_position(void);
double strtod(const char *, char **);

enum { EOF = -1 };

/* Where a text is read: up to before `limit`; whether more was wanted. */
struct input {
    const char *text;
    long long at, limit;
    int ended;
};

static int more(struct input *in)
{
    if (in->at < in->limit)
        return 1;
    in->ended = 1;
    return 0;
}

static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_space(struct input *in)
{
    while (more(in) && is_space(in->text[in->at]))
        in->at++;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

/* A number of at most `width` characters; `bytes` and the sign say where it stops to grow. Whether there is one. */
static int number(struct input *in, long long width, unsigned base, int is_signed, int bytes, unsigned long long *value)
{
    long long end = in->at + width < in->limit ? in->at + width : in->limit, at = in->at;
    int negative = 0, beyond = 0, any = 0;
    if (at < end && (in->text[at] == '-' || in->text[at] == '+'))
        negative = in->text[at++] == '-';
    if (at < end && in->text[at] == '0' && (base == 0 || base == 16)) {
        any = 1;
        at++;
        if (at < end && (in->text[at] == 'x' || in->text[at] == 'X')) {
            base = 16;
            at++;
        } else if (base == 0) {
            base = 8;
        }
    }
    if (base == 0)
        base = 10;
    unsigned long long all = bytes == 8 ? -1ull : 0xffffffffull;
    unsigned long long most = is_signed ? all / 2 + negative : all, size = 0;
    while (at < end && digit(in->text[at]) < (int)base) {
        unsigned d = digit(in->text[at++]);
        any = 1;
        if (beyond || size > (most - d) / base)
            beyond = 1;
        else
            size = size * base + d;
    }
    in->ended |= at == in->limit && at < in->at + width;
    in->at = at;
    if (!any)
        return 0;
    *value = beyond ? most : size;
    if (negative && !(beyond && !is_signed))
        *value = -*value;
    return 1;
}

/* Whether a character is in the set that a format has from `[` or `[^` on. */
static int is_listed(char c, const char *set, size length)
{
    for (size i = 0; i < length; i++) {
        if (i + 2 < length && set[i + 1] == '-') {
            if (c >= set[i] && c <= set[i + 2])
                return 1;
            i += 2;
        } else if (c == set[i]) {
            return 1;
        }
    }
    return 0;
}

/* Reads what a format says; how many values were stored, or EOF if the text ended before the first. What glibc does beyond the standard is done here, too. */
static int scan(struct input *in, const char *format, list arguments)
{
    long long start = in->at;
    int stored = 0;
    for (size i = 0; format[i]; i++) {
        if (is_space(format[i])) {
            skip_space(in);
            continue;
        }
        if (format[i] == '%' && format[i + 1] == '%') {
            skip_space(in);
            i++;
        } else if (format[i] == '%') {
            goto conversion;
        }
        if (!more(in))
            return stored ? stored : EOF;
        if (in->text[in->at] != format[i])
            return stored;
        in->at++;
        continue;
    conversion:
        i++;
        int kept = 1, bytes = 4;
        long long width = 0;
        if (format[i] == '*') {
            kept = 0;
            i++;
        }
        while (format[i] >= '0' && format[i] <= '9')
            width = width * 10 + (format[i++] - '0');
        int bounded = width > 0;
        if (!bounded)
            width = 0x7fffffff;
        if (format[i] == 'h') {
            bytes = format[i + 1] == 'h' ? 1 : 2;
            i += format[i + 1] == 'h' ? 2 : 1;
        } else if (format[i] == 'l') {
            bytes = format[i + 1] == 'l' ? 8 : -1;
            i += format[i + 1] == 'l' ? 2 : 1;
        } else if (format[i] == 'z' || format[i] == 't') {
            bytes = -1;
            i++;
        } else if (format[i] == 'j' || format[i] == 'q') {
            bytes = 8;
            i++;
        }
        char kind = format[i];
        if (kind == 'n') {
            if (kept && bytes == 4)
                *__builtin_va_arg(arguments, int *) = (int)(in->at - start);
            else
                __selvedge_refuse("a format that is not known");
            continue;
        }
        if (kind != 'c' && kind != '[')
            skip_space(in);
        if (!more(in))
            return stored ? stored : EOF;
        if (kind == 'd' || kind == 'i' || kind == 'u' || kind == 'o' || kind == 'x' || kind == 'X') {
            unsigned base = kind == 'i' ? 0 : kind == 'o' ? 8 : kind == 'd' || kind == 'u' ? 10 : 16;
            int wide = bytes == 8 ? 8 : (int)sizeof(long);
            unsigned long long value = 0;
            if (!number(in, width, base, kind == 'd' || kind == 'i', wide, &value))
                return stored;
            if (kept && bytes == 1)
                *__builtin_va_arg(arguments, char *) = (char)value;
            else if (kept && bytes == 2)
                *__builtin_va_arg(arguments, short *) = (short)value;
            else if (kept && bytes == 4)
                *__builtin_va_arg(arguments, int *) = (int)value;
            else if (kept && bytes == 8)
                *__builtin_va_arg(arguments, long long *) = (long long)value;
            else if (kept)
                *__builtin_va_arg(arguments, long *) = (long)value;
        } else if (kind == 's' && bytes == 4) {
            char *to = kept ? __builtin_va_arg(arguments, char *) : 0;
            long long length = 0;
            while (length < width && more(in) && !is_space(in->text[in->at])) {
                if (kept)
                    to[length] = in->text[in->at];
                length++;
                in->at++;
            }
            if (kept)
                to[length] = 0;
        } else if (kind == 'c' && bytes == 4) {
            char *to = kept ? __builtin_va_arg(arguments, char *) : 0;
            long long count = bounded ? width : 1;
            for (long long k = 0; k < count; k++) {
                if (!more(in))
                    break;
                if (kept)
                    to[k] = in->text[in->at];
                in->at++;
            }
        } else if (kind == '[' && bytes == 4) {
            i++;
            int other = format[i] == '^';
            i += other;
            size first = i;
            do
                i++;
            while (format[i] && format[i] != ']');
            char *to = kept ? __builtin_va_arg(arguments, char *) : 0;
            long long length = 0;
            while (length < width && more(in) &&
                   is_listed(in->text[in->at], format + first, i - first) != other) {
                if (kept)
                    to[length] = in->text[in->at];
                length++;
                in->at++;
            }
            if (length == 0)
                return stored;
            if (kept)
                to[length] = 0;
        } else if ((kind == 'f' || kind == 'g' || kind == 'e' || kind == 'F' || kind == 'G' || kind == 'E') && !bounded) {
            char *after;
            const char *before = in->text + in->at;
            double value = strtod(before, &after);
            if (after == before)
                return stored;
            in->at += after - before;
            in->ended |= in->at == in->limit;
            if (kept && bytes == -1)
                *__builtin_va_arg(arguments, double *) = value;
            else if (kept)
                /* Rounded twice, unless it fits as it is. */
                *__builtin_va_arg(arguments, float *) = (float)((float)value == value ? value : __selvedge_approximate_double());
        } else {
            __selvedge_refuse("a format that is not known");
        }
        stored += kept;
    }
    return stored;
}

static int scan_string(const char *s, const char *format, list arguments)
{
    struct input in = {s, 0, 0, 0};
    while (s[in.limit])
        in.limit++;
    return scan(&in, format, arguments);
}

static int __selvedge_lib_vsscanf(const char *s, const char *format, list arguments)
{
    return scan_string(s, format, arguments);
}

static int __selvedge_lib_sscanf(const char *s, const char *format, ...)
{
    list arguments;
    __builtin_va_start(arguments, format);
    int stored = scan_string(s, format, arguments);
    __builtin_va_end(arguments);
    return stored;
}

static int __selvedge_lib___isoc99_sscanf(const char *s, const char *format, ...)
{
    list arguments;
    __builtin_va_start(arguments, format);
    int stored = scan_string(s, format, arguments);
    __builtin_va_end(arguments);
    return stored;
}

/* Standard input, if `--stdin` gives it. */
static int scan_given(void *file, const char *format, list arguments)
{
    if (file != __selvedge_standard(0))
        __selvedge_refuse("`fscanf` of another stream, with `--stdin`");
    long long before = __atomic_load_n(__selvedge_given_position(), 5);
    struct input in = {__selvedge_given_text(), before, __selvedge_given(), 0};
    int stored = scan(&in, format, arguments);
    if (!__sync_bool_compare_and_swap(__selvedge_given_position(), before, in.at))
        __selvedge_refuse("`scanf` in two threads at once, with `--stdin`");
    if (in.ended)
        __atomic_store_n(__selvedge_given_position() + 1, 1, 5);
    return stored;
}

static int __selvedge_lib_given_scanf(const char *format, ...)
{
    list arguments;
    __builtin_va_start(arguments, format);
    int stored = scan_given(__selvedge_standard(0), format, arguments);
    __builtin_va_end(arguments);
    return stored;
}

static int __selvedge_lib_given_fscanf(void *file, const char *format, ...)
{
    list arguments;
    __builtin_va_start(arguments, format);
    int stored = scan_given(file, format, arguments);
    __builtin_va_end(arguments);
    return stored;
}
