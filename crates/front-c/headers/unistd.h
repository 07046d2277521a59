/* Selvedge's own <unistd.h>. */
#ifndef SELVEDGE_UNISTD_H
#define SELVEDGE_UNISTD_H
#include <stddef.h>
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define F_OK 0
#define R_OK 4
#define W_OK 2
#define X_OK 1
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
#define _SC_CLK_TCK 2
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
extern char **environ;
extern char *optarg;
extern int optind, opterr, optopt;
int getopt(int, char *const *, const char *);
unsigned int sleep(unsigned int);
int usleep(useconds_t);
unsigned int alarm(unsigned int);
int pause(void);
pid_t fork(void);
pid_t vfork(void);
pid_t getpid(void);
pid_t getppid(void);
pid_t gettid(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
void _exit(int) __attribute__((__noreturn__));
int execl(const char *, const char *, ...);
int execlp(const char *, const char *, ...);
int execv(const char *, char *const *);
int execvp(const char *, char *const *);
int pipe(int *);
int dup(int);
int dup2(int, int);
int close(int);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
off_t lseek(int, off_t, int);
int fsync(int);
int ftruncate(int, off_t);
int access(const char *, int);
int unlink(const char *);
int rmdir(const char *);
int chdir(const char *);
char *getcwd(char *, size_t);
int isatty(int);
long sysconf(int);
int gethostname(char *, size_t);
int getpagesize(void);
void *sbrk(intptr_t);
long syscall(long, ...);
#endif
