// expect: safe
// property: deadlock
// about: a queue with a lock for each end, after Michael and Scott (1996); who counts takes the head first
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
  struct node *next;
  int value;
};
static struct {
  pthread_mutex_t tail_lock, head_lock;
  struct node *head, *tail;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, 0, 0};
static int length;

static void *producer(void *unused) {
  struct node *node = malloc(sizeof *node);
  node->next = 0;
  node->value = 1;
  pthread_mutex_lock(&queue.tail_lock);
  queue.tail->next = node;
  queue.tail = node;
  pthread_mutex_unlock(&queue.tail_lock);
  return unused;
}

static void *consumer(void *unused) {
  pthread_mutex_lock(&queue.head_lock);
  struct node *old = queue.head, *next = old->next;
  if (next) {
    queue.head = next;
    free(old);
  }
  pthread_mutex_unlock(&queue.head_lock);
  return unused;
}

static void *counter(void *unused) {
  pthread_mutex_lock(&queue.head_lock);
  pthread_mutex_lock(&queue.tail_lock);
  length = queue.head == queue.tail;
  pthread_mutex_unlock(&queue.tail_lock);
  pthread_mutex_unlock(&queue.head_lock);
  return unused;
}

static void *cleaner(void *unused) {
  pthread_mutex_lock(&queue.head_lock);
  pthread_mutex_lock(&queue.tail_lock);
  length = 0;
  pthread_mutex_unlock(&queue.tail_lock);
  pthread_mutex_unlock(&queue.head_lock);
  return unused;
}

int main(void) {
  queue.head = queue.tail = calloc(1, sizeof(struct node));
  while (1) {
    pthread_t threads[4];
    pthread_create(&threads[0], 0, producer, 0);
    pthread_create(&threads[1], 0, consumer, 0);
    pthread_create(&threads[2], 0, counter, 0);
    pthread_create(&threads[3], 0, cleaner, 0);
    if (__VERIFIER_nondet_int())
      pthread_join(threads[3], 0);
  }
}
