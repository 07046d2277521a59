/* <string.h>: lengths, comparisons, copies and searches, character by character. */
typedef __typeof__(sizeof(0)) size;
int __selvedge_choice(void);
void __selvedge_undefined(const char *);

static size __selvedge_lib_strlen(const char *s)
{
    size n = 0;
    while (s[n])
        n++;
    return n;
}

static size __selvedge_lib_strnlen(const char *s, size limit)
{
    size n = 0;
    while (n < limit && s[n])
        n++;
    return n;
}

/* Only the sign is promised: the difference and a mere sign can both come. */
static int ordered(unsigned char a, unsigned char b)
{
    int difference = a - b;
    if (difference == 0 || __selvedge_choice())
        return difference;
    return difference < 0 ? -1 : 1;
}

static int __selvedge_lib_strcmp(const char *a, const char *b)
{
    size i = 0;
    while (a[i] && a[i] == b[i])
        i++;
    return ordered(a[i], b[i]);
}

static int __selvedge_lib_strcoll(const char *a, const char *b)
{
    return __selvedge_lib_strcmp(a, b);
}

static int __selvedge_lib_strncmp(const char *a, const char *b, size limit)
{
    for (size i = 0; i < limit; i++) {
        char x = a[i], y = b[i];
        if (x != y)
            return ordered(x, y);
        if (!x)
            return 0;
    }
    return 0;
}

static int __selvedge_lib_memcmp(const void *a, const void *b, size limit)
{
    for (size i = 0; i < limit; i++) {
        unsigned char x = ((const unsigned char *)a)[i], y = ((const unsigned char *)b)[i];
        if (x != y)
            return ordered(x, y);
    }
    return 0;
}

static int __selvedge_lib_bcmp(const void *a, const void *b, size limit)
{
    return __selvedge_lib_memcmp(a, b, limit);
}

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static int __selvedge_lib_strncasecmp(const char *a, const char *b, size limit)
{
    for (size i = 0; i < limit; i++) {
        unsigned char x = lower((unsigned char)a[i]), y = lower((unsigned char)b[i]);
        if (x != y)
            return ordered(x, y);
        if (!x)
            return 0;
    }
    return 0;
}

static int __selvedge_lib_strcasecmp(const char *a, const char *b)
{
    return __selvedge_lib_strncasecmp(a, b, -1);
}

/* Copies. What overlaps is undefined behaviour that shows only where a character is lost. */
static char *__selvedge_lib_stpcpy(char *to, const char *from)
{
    size i = 0;
    while ((to[i] = from[i]))
        i++;
    return to + i;
}

static char *__selvedge_lib_strcpy(char *to, const char *from)
{
    __selvedge_lib_stpcpy(to, from);
    return to;
}

static char *__selvedge_lib_stpncpy(char *to, const char *from, size limit)
{
    size i = 0;
    while (i < limit && (to[i] = from[i]))
        i++;
    for (size rest = i; rest < limit; rest++)
        to[rest] = 0;
    return to + i;
}

static char *__selvedge_lib_strncpy(char *to, const char *from, size limit)
{
    __selvedge_lib_stpncpy(to, from, limit);
    return to;
}

static char *__selvedge_lib_strcat(char *to, const char *from)
{
    __selvedge_lib_stpcpy(to + __selvedge_lib_strlen(to), from);
    return to;
}

static char *__selvedge_lib_strncat(char *to, const char *from, size limit)
{
    char *end = to + __selvedge_lib_strlen(to);
    size i = 0;
    while (i < limit && from[i]) {
        end[i] = from[i];
        i++;
    }
    end[i] = 0;
    return to;
}

static size __selvedge_lib_strlcpy(char *to, const char *from, size limit)
{
    size length = __selvedge_lib_strlen(from);
    size i = 0;
    for (; i + 1 < limit && i < length; i++)
        to[i] = from[i];
    if (limit)
        to[i] = 0;
    return length;
}

static size __selvedge_lib_strlcat(char *to, const char *from, size limit)
{
    size start = __selvedge_lib_strnlen(to, limit);
    if (start == limit)
        return limit + __selvedge_lib_strlen(from);
    return start + __selvedge_lib_strlcpy(to + start, from, limit - start);
}

static void *__selvedge_lib_memccpy(void *to, const void *from, int c, size limit)
{
    for (size i = 0; i < limit; i++) {
        unsigned char x = ((const unsigned char *)from)[i];
        ((unsigned char *)to)[i] = x;
        if (x == (unsigned char)c)
            return (char *)to + i + 1;
    }
    return 0;
}

static char *__selvedge_lib_strndup(const char *s, size limit)
{
    size n = __selvedge_lib_strnlen(s, limit);
    char *copy = __builtin_malloc(n + 1);
    if (!copy)
        return 0;
    for (size i = 0; i < n; i++)
        copy[i] = s[i];
    copy[n] = 0;
    return copy;
}

static char *__selvedge_lib_strdup(const char *s)
{
    return __selvedge_lib_strndup(s, -1);
}

/* Searches: what is found lies in the argument. */
static char *__selvedge_lib_strchrnul(const char *s, int c)
{
    size i = 0;
    while (s[i] && s[i] != (char)c)
        i++;
    return (char *)s + i;
}

static char *__selvedge_lib_strchr(const char *s, int c)
{
    char *found = __selvedge_lib_strchrnul(s, c);
    return *found == (char)c ? found : 0;
}

static char *__selvedge_lib_strrchr(const char *s, int c)
{
    char *found = 0;
    for (size i = 0;; i++) {
        char x = s[i];
        if (x == (char)c)
            found = (char *)s + i;
        if (!x)
            return found;
    }
}

static char *__selvedge_lib_index(const char *s, int c)
{
    return __selvedge_lib_strchr(s, c);
}

static char *__selvedge_lib_rindex(const char *s, int c)
{
    return __selvedge_lib_strrchr(s, c);
}

static void *__selvedge_lib_memchr(const void *s, int c, size limit)
{
    for (size i = 0; i < limit; i++)
        if (((const unsigned char *)s)[i] == (unsigned char)c)
            return (char *)s + i;
    return 0;
}

static void *__selvedge_lib_memrchr(const void *s, int c, size limit)
{
    for (size i = limit; i > 0; i--)
        if (((const unsigned char *)s)[i - 1] == (unsigned char)c)
            return (char *)s + (i - 1);
    return 0;
}

static void *__selvedge_lib_rawmemchr(const void *s, int c)
{
    size i = 0;
    while (((const unsigned char *)s)[i] != (unsigned char)c)
        i++;
    return (char *)s + i;
}

static char *__selvedge_lib_strstr(const char *s, const char *wanted)
{
    for (size start = 0;; start++) {
        size i = 0;
        while (wanted[i] && s[start + i] == wanted[i])
            i++;
        if (!wanted[i])
            return (char *)s + start;
        if (!s[start + i])
            return 0;
    }
}

static char *__selvedge_lib_strcasestr(const char *s, const char *wanted)
{
    for (size start = 0;; start++) {
        size i = 0;
        while (wanted[i] && lower((unsigned char)s[start + i]) == lower((unsigned char)wanted[i]))
            i++;
        if (!wanted[i])
            return (char *)s + start;
        if (!s[start + i])
            return 0;
    }
}

static void *__selvedge_lib_memmem(const void *s, size length, const void *wanted, size part)
{
    for (size start = 0; start + part <= length; start++) {
        size i = 0;
        while (i < part && ((const char *)s)[start + i] == ((const char *)wanted)[i])
            i++;
        if (i == part)
            return (char *)s + start;
    }
    return 0;
}
