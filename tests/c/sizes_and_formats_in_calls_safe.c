// expect: safe
// Allocation and printing in functions that get sizes and formats from their callers.

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    int value;
    char name[4];
};

static void say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

static void line(const char *text) { printf("%s\n", text); }

static void *some(size_t bytes) {
    void *p = malloc(bytes);
    if (!p)
        abort();
    return p;
}

static void *zeros(size_t count, size_t bytes) { return calloc(count, bytes); }

static struct node *push(struct node *list, int value) {
    struct node *node = some(sizeof *node);
    node->next = list;
    node->value = value;
    strcpy(node->name, "ab");
    return node;
}

static int sum(struct node *list) { return list ? list->value + sum(list->next) : 0; }

int main(void) {
    struct node *list = 0;
    for (int i = 1; i < 4; i++)
        list = push(list, i);
    say("%d nodes, first %d\n", 3, list->value);
    line(list->name);
    int *numbers = zeros(3, sizeof *numbers);
    numbers[2] = sum(list);
    assert(numbers[0] + numbers[1] + numbers[2] == 6);
    free(numbers);
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
