// Three philosophers, each of whom takes the fork on the left first.
#include <pthread.h>

static pthread_mutex_t fork_a, fork_b, fork_c;

static void *anna(void *nothing)
{
    pthread_mutex_lock(&fork_a);
    pthread_mutex_lock(&fork_b);
    pthread_mutex_unlock(&fork_b);
    pthread_mutex_unlock(&fork_a);
    return nothing;
}

static void *bert(void *nothing)
{
    pthread_mutex_lock(&fork_b);
    pthread_mutex_lock(&fork_c);
    pthread_mutex_unlock(&fork_c);
    pthread_mutex_unlock(&fork_b);
    return nothing;
}

static void *cleo(void *nothing)
{
    pthread_mutex_lock(&fork_c);
    pthread_mutex_lock(&fork_a);
    pthread_mutex_unlock(&fork_a);
    pthread_mutex_unlock(&fork_c);
    return nothing;
}

int main(void)
{
    pthread_t first, second;
    pthread_mutex_init(&fork_a, 0);
    pthread_mutex_init(&fork_b, 0);
    pthread_mutex_init(&fork_c, 0);
    pthread_create(&first, 0, anna, 0);
    pthread_create(&second, 0, bert, 0);
    cleo(0);
    return 0;
}
