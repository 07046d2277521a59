// A stack of jobs whose `pop` reads the next node too early: a job is done twice.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    int job;
    struct node *next;
};

static struct node *top;
static int done[3];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void push(int job)
{
    struct node *node = malloc(sizeof *node);
    node->job = job;
    pthread_mutex_lock(&lock);
    node->next = top;
    top = node;
    pthread_mutex_unlock(&lock);
}

static struct node *pop(void)
{
    struct node *first = top;
    if (first == 0)
        return 0;
    pthread_mutex_lock(&lock);
    top = first->next;
    pthread_mutex_unlock(&lock);
    return first;
}

static void *worker(void *argument)
{
    struct node *node = pop();
    if (node != 0) {
        assert(done[node->job] == 0);
        done[node->job] = 1;
    }
    return argument;
}

int main(void)
{
    pthread_t helper;
    push(1);
    push(2);
    pthread_create(&helper, 0, worker, 0);
    worker(0);
    pthread_join(helper, 0);
    return 0;
}
