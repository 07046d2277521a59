/* <stdlib.h>: sorting and searching with a function of the program. */
typedef __typeof__(sizeof(0)) size;
typedef int comparison(const void *, const void *);
int __selvedge_choice(void);
void __selvedge_swap(void *, size, size, size);
void __selvedge_assumption(const char *);

/* Insertion: elements that compare equal come in any order. */
static void __selvedge_lib_qsort(void *base, size count, size width, comparison *compare)
{
    __selvedge_assumption("`qsort` calls the comparison as sorting by insertion does");
    for (size i = 1; i < count; i++) {
        size j = i;
        while (j > 0) {
            int order = compare((char *)base + (j - 1) * width, (char *)base + j * width);
            if (order < 0 || (order == 0 && __selvedge_choice()))
                break;
            __selvedge_swap(base, (j - 1) * width, j * width, width);
            j--;
        }
    }
}

static void *__selvedge_lib_bsearch(const void *key, const void *base, size count, size width, comparison *compare)
{
    __selvedge_assumption("`bsearch` calls the comparison as halving does");
    size low = 0, high = count;
    while (low < high) {
        size middle = (low + high) / 2;
        char *element = (char *)base + middle * width;
        int order = compare(key, element);
        if (order == 0)
            return element;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

static void *__selvedge_lib_lfind(const void *key, const void *base, size *count, size width, comparison *compare)
{
    for (size i = 0; i < *count; i++) {
        char *element = (char *)base + i * width;
        if (compare(key, element) == 0)
            return element;
    }
    return 0;
}
