// expect: unsafe threads=3
// property: deadlock
// about: some threads take the scanner first, others the printer; the deadlock is one of all threads
#include <pthread.h>
#include <semaphore.h>
extern int __VERIFIER_nondet_int(void);
static sem_t printer, scanner;
static int pages;

static void *copy(void *unused) {
  sem_wait(&scanner);
  sem_wait(&printer);
  pages++;
  sem_post(&printer);
  sem_post(&scanner);
  return unused;
}

static void *fax(void *unused) {
  sem_wait(&printer);
  sem_wait(&scanner);
  pages--;
  sem_post(&scanner);
  sem_post(&printer);
  return unused;
}

int main(void) {
  sem_init(&printer, 0, 1);
  sem_init(&scanner, 0, 1);
  while (__VERIFIER_nondet_int()) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, copy, 0);
    pthread_create(&threads[1], 0, fax, 0);
  }
  pthread_exit(0);
}
