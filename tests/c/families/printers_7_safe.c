// expect: safe
// property: deadlock
// about: all tasks ask for a printer, then for a scanner
// open: only the order of locks proves it, in seconds
#include <pthread.h>
#include <semaphore.h>
#define N 7
sem_t printers, scanners;
int pages;

void *task(void *number) {
  int i = (int)(long)number;
  sem_t *first = &printers;
  sem_t *second = &scanners;
  sem_wait(first);
  sem_wait(second);
  pages += i;
  sem_post(second);
  sem_post(first);
  return 0;
}

int main(void) {
  pthread_t threads[N];
  sem_init(&printers, 0, 1);
  sem_init(&scanners, 0, 1);
  for (int i = 0; i < N; i++)
    pthread_create(&threads[i], 0, task, (void *)(long)i);
  for (int i = 0; i < N; i++)
    pthread_join(threads[i], 0);
  return 0;
}
