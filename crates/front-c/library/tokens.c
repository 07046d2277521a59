/* <string.h>: sets of characters and tokens. */
typedef __typeof__(sizeof(0)) size;

static int is_in(char c, const char *set)
{
    for (size i = 0; set[i]; i++)
        if (set[i] == c)
            return 1;
    return 0;
}

static size __selvedge_lib_strspn(const char *s, const char *set)
{
    size i = 0;
    while (s[i] && is_in(s[i], set))
        i++;
    return i;
}

static size __selvedge_lib_strcspn(const char *s, const char *set)
{
    size i = 0;
    while (s[i] && !is_in(s[i], set))
        i++;
    return i;
}

static char *__selvedge_lib_strpbrk(const char *s, const char *set)
{
    size i = __selvedge_lib_strcspn(s, set);
    return s[i] ? (char *)s + i : 0;
}

static char *__selvedge_lib_strtok_r(char *s, const char *set, char **rest)
{
    /* Where nothing was cut before, this follows a null pointer, as glibc does. */
    char *start = s ? s : *rest;
    start += __selvedge_lib_strspn(start, set);
    if (!*start) {
        *rest = start;
        return 0;
    }
    char *end = start + __selvedge_lib_strcspn(start, set);
    if (*end)
        *end++ = 0;
    *rest = end;
    return start;
}

/* One place for all threads, as POSIX warns. */
static char *strtok_rest;

static char *__selvedge_lib_strtok(char *s, const char *set)
{
    return __selvedge_lib_strtok_r(s, set, &strtok_rest);
}

static char *__selvedge_lib_strsep(char **rest, const char *set)
{
    char *start = *rest;
    if (!start)
        return 0;
    char *end = start + __selvedge_lib_strcspn(start, set);
    if (*end) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = 0;
    }
    return start;
}
