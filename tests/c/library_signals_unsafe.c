// expect: unsafe threads=1
// ways: concrete
// line: 23
// Handlers and masks are kept; no signal comes.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
static int seen;
static void handler(int number) { seen = number; }
int main(void) {
    sigset_t set;
    struct sigaction action;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(sigismember(&set, SIGUSR1) == 1 && sigismember(&set, SIGUSR2) == 0);
    assert(pthread_sigmask(SIG_BLOCK, &set, 0) == 0);
    action.sa_handler = handler;
    action.sa_flags = 0;
    sigemptyset(&action.sa_mask);
    assert(sigaction(SIGINT, &action, 0) == 0);
    assert(signal(SIGINT, SIG_IGN) == handler);
    assert(pthread_kill(pthread_self(), 0) == 0);
    assert(seen == SIGINT);
    return 0;
}
