//! Calls of the library on memory that no other thread uses, as a table: adding a function is adding a row.
//! `@` is a number that no other row's names have.

use super::maker::Maker;

/// Statements, and the value that is stored after them. The judge calls the system's library.
const CALLS: &[(&str, &str)] = &[
    ("char b@[8] = \"ab\"; strcpy(b@ + 1, \"xy\");", "b@[2] - 'x'"),
    ("char b@[8] = \"q\"; char *e@ = stpcpy(b@, \"xyz\");", "e@ - b@"),
    ("char b@[4] = \"abc\"; strncpy(b@, \"x\", 3);", "b@[0] + b@[2] - 'x'"),
    ("char b@[4] = \"abc\"; char *e@ = stpncpy(b@, \"xy\", 4);", "e@ - b@ + b@[3]"),
    ("char b@[8] = \"ab\"; strcat(b@, \"c\");", "strlen(b@)"),
    ("char b@[8] = \"ab\"; strncat(b@, \"cde\", 1);", "strlen(b@)"),
    ("char b@[8] = \"ab\"; char *e@ = memccpy(b@, \"x,y\", ',', 3);", "e@ - b@"),
    ("char *s@ = strdup(\"abc\");", "s@[2] - 'a' + s@[3]"),
    ("char *s@ = strndup(\"abc\", 1); int v@ = s@[0] - 'a' + s@[1]; free(s@);", "v@"),
    ("", "strnlen(\"abc\", 2)"),
    ("", "(strncmp(\"abc\", \"abd\", 2) == 0)"),
    ("", "(strcoll(\"a\", \"b\") < 0) + 2 * (strcasecmp(\"aB\", \"Ab\") == 0)"),
    ("", "(strncasecmp(\"Ax\", \"ay\", 1) == 0) + 2 * (memcmp(\"ab\", \"aa\", 2) > 0)"),
    ("", "(bcmp(\"ab\", \"ab\", 2) == 0)"),
    ("const char *s@ = \"abc\";", "strchrnul(s@, 'x') - s@"),
    ("const char *s@ = \"abcb\";", "index(s@, 'b') - s@ + (rindex(s@, 'b') - s@)"),
    ("char b@[4] = { 1, 2, 1, 0 };", "(char *)memrchr(b@, 1, 4) - b@ + ((char *)rawmemchr(b@, 0) - b@)"),
    ("const char *s@ = \"aBc\";", "strcasestr(s@, \"bC\") - s@"),
    ("char b@[4] = { 1, 2, 3, 4 };", "(char *)memmem(b@, 4, b@ + 2, 2) - b@"),
    (
        "char b@[4] = \"a,b\"; __VERIFIER_atomic_begin(); strtok(b@, \",\"); char *t@ = strtok(0, \",\"); \
         __VERIFIER_atomic_end();",
        "*t@ - 'a' + b@[1]",
    ),
    ("char b@[4] = \"a,b\", *r@ = 0; strtok_r(b@, \",\", &r@);", "*strtok_r(0, \",\", &r@) - 'a'"),
    ("char b@[4] = \"a,b\", *r@ = b@; strsep(&r@, \",\");", "r@ - b@"),
    ("unsigned char b@[3] = { 1, 2, 3 }; memset(b@ + 1, 0, 1);", "b@[0] + b@[1] * 4 + b@[2] * 16"),
    ("unsigned b@[2] = { 1, 2 }; memset(b@, 1, 4);", "(b@[0] >> 8) + b@[1]"),
    ("short b@[2] = { 1, 2 }; bzero(&b@[0], 2); explicit_bzero(b@ + 1, sizeof(short));", "b@[0] + b@[1]"),
    ("int a@[2] = { 1, 2 }, b@[2] = { 3, 3 }; memcpy(b@, a@ + 1, sizeof(int));", "b@[0] + b@[1] * 4"),
    ("char b@[3] = { 0, 1, 2 }; char *e@ = mempcpy(b@, \"\\1\\2\", 2);", "e@ - b@ + b@[0]"),
    ("char b@[3] = { 1, 2, 3 }; bcopy(b@, b@ + 1, 2);", "b@[1] + b@[2] * 4"),
    ("struct { char c; int n; } x@ = { 1, 2 }, y@ = { 0, 0 }; memcpy(&y@, &x@, sizeof x@);", "y@.c + y@.n"),
    ("", "labs(-2L) + llabs(-1LL) + imaxabs(-3)"),
    ("", "ffsl(4L) + ffsll(1LL << 40)"),
    ("ldiv_t d@ = ldiv(-7L, 2L);", "d@.quot + d@.rem * 4"),
    ("lldiv_t d@ = lldiv(9LL, 4LL);", "d@.quot + d@.rem * 4"),
    ("", "atol(\" 3\") + atoll(\"-1\")"),
    ("char *e@ = 0; long long v@ = strtoll(\"12z\", &e@, 36);", "v@ + (*e@ == 0)"),
    ("errno = 0; unsigned long v@ = strtoul(\"-1\", 0, 0); int n@ = errno;", "(v@ >> 63) + n@"),
    (
        "errno = 0; long v@ = strtol(\"99999999999999999999\", 0, 10); int n@ = errno;",
        "(n@ == ERANGE) + (v@ & 1)",
    ),
    ("errno = 0; unsigned long long v@ = strtoull(\"077\", 0, 0); int n@ = errno;", "v@ + n@"),
    ("", "strtoimax(\"0x1f\", 0, 16) + strtoumax(\"7\", 0, 8)"),
    (
        "int a@[2] = { 3, 5 }, k@ = 5; size_t n@ = 2; int *f@ = lfind(&k@, a@, &n@, sizeof(int), same);",
        "f@ - a@",
    ),
    ("", "(isalnum('a') != 0) + (isblank('\\t') != 0) * 2 + (iscntrl(7) != 0) * 4"),
    ("", "(isgraph(' ') != 0) + (islower('a') != 0) * 2 + (isprint(' ') != 0) * 4"),
    ("", "(ispunct('.') != 0) + (isspace(11) != 0) * 2 + (isupper('a') != 0) * 4 + (isxdigit('f') != 0)"),
    ("", "(isascii(200) != 0) + toascii(129) + (tolower('A') == 'a')"),
    ("int *p@ = calloc(2, sizeof(int)); p@[1] += 2; int v@ = p@[0] + p@[1]; free(p@);", "v@"),
    ("int *p@ = aligned_alloc(8, 8); p@[0] = 1; p@[1] = 2; int v@ = p@[1]; free(p@);", "v@"),
    ("int *p@ = alloca(2 * sizeof(int)); p@[0] = 1; p@[1] = 3;", "p@[1] - p@[0]"),
    ("", "(difftime(5, 3) == 2.0)"),
    ("char b@[4] = \"q\"; unsigned long n@ = strlcpy(b@, \"xyzw\", 3);", "n@ + b@[1] - 'x' + b@[2]"),
    ("char b@[4] = \"q\"; unsigned long n@ = strlcat(b@, \"xy\", 3);", "n@ + b@[1] - 'x' + b@[2]"),
    ("int *p@ = valloc(8); p@[1] = 2; int v@ = p@[1]; cfree(p@);", "v@"),
    ("int *p@ = memalign(8, 8); p@[0] = 3; int v@ = p@[0]; free(p@);", "v@"),
    ("", "((*__ctype_b_loc())['a'] & 1024) / 1024 + ((*__ctype_b_loc())['1'] & 1024)"),
    ("*__errno_location() = 2;", "errno"),
];

/// Inputs: statements for us, for the judge, and the value that is stored. Those that come are 0 and 1.
const INPUTS: &[(&str, &str, &str)] = &[
    ("int c@ = getchar(); __VERIFIER_assume(c@ >= 0 && c@ <= 1);", "int c@ = sv_choose(2);", "c@"),
    ("int c@ = fgetc(stdin); __VERIFIER_assume(c@ >= 0 && c@ <= 1);", "int c@ = sv_choose(2);", "c@"),
    ("int c@ = getc(stdin); __VERIFIER_assume(c@ >= 0 && c@ <= 1);", "int c@ = sv_choose(2);", "c@"),
    (
        "char b@[2] = { 2, 2 }, *p@ = fgets(b@, 2, stdin); __VERIFIER_assume(p@ != 0 && b@[0] >= 0 && b@[0] <= 1);",
        "char b@[2] = { sv_choose(2), 0 };",
        "b@[0] + b@[1]",
    ),
    (
        "unsigned char b@[2] = { 3, 3 }; long n@ = read(0, b@, 1); __VERIFIER_assume(n@ == 1 && b@[0] <= 1);",
        "unsigned char b@[2] = { sv_choose(2), 3 };",
        "b@[0] + b@[1]",
    ),
    (
        "unsigned char b@[2] = { 3, 3 }; long n@ = fread(b@, 1, 1, stdin); __VERIFIER_assume(n@ == 1 && b@[0] <= 1);",
        "unsigned char b@[2] = { sv_choose(2), 3 };",
        "b@[0] + b@[1]",
    ),
    (
        "int v@ = 5; int n@ = scanf(\"%d\", &v@); __VERIFIER_assume(n@ == 1 && v@ >= 0 && v@ <= 1);",
        "int v@ = sv_choose(2);",
        "v@",
    ),
    ("long v@ = random(); __VERIFIER_assume(v@ <= 1);", "long v@ = sv_choose(2);", "v@"),
    ("long v@ = lrand48(); __VERIFIER_assume(v@ <= 1);", "long v@ = sv_choose(2);", "v@"),
    ("long v@ = mrand48(); __VERIFIER_assume(v@ >= -1 && v@ < 1);", "long v@ = sv_choose(2) - 1;", "v@"),
    (
        "unsigned char v@ = 3; __VERIFIER_nondet_memory(&v@, 1); __VERIFIER_assume(v@ <= 1);",
        "unsigned char v@ = sv_choose(2);",
        "v@",
    ),
    ("long v@ = clock(); __VERIFIER_assume(v@ >= 0 && v@ <= 1);", "long v@ = sv_choose(2);", "0"),
    (
        "struct timeval v@ = { 7, 7 }; gettimeofday(&v@, 0); __VERIFIER_assume(v@.tv_usec <= 1);",
        "struct { int tv_usec; } v@ = { sv_choose(2) };",
        "v@.tv_usec",
    ),
    (
        "struct timespec v@ = { 7, 7 }; clock_gettime(0, &v@); __VERIFIER_assume(v@.tv_nsec <= 1);",
        "struct { int tv_nsec; } v@ = { sv_choose(2) };",
        "v@.tv_nsec",
    ),
    ("int v@ = getpid() == getpid();", "int v@ = 1;", "v@"),
    (
        "struct timespec v@ = { 7, 7 }; timespec_get(&v@, TIME_UTC); __VERIFIER_assume(v@.tv_nsec <= 1);",
        "struct { int tv_nsec; } v@ = { sv_choose(2) };",
        "v@.tv_nsec",
    ),
    (
        "int v@ = 5; int n@ = fscanf(stdin, \"%d\", &v@); __VERIFIER_assume(n@ == 1 && v@ >= 0 && v@ <= 1);",
        "int v@ = sv_choose(2);",
        "v@",
    ),
    (
        "int v@ = 5; int n@ = __isoc99_scanf(\"%d\", &v@); __VERIFIER_assume(n@ == 1 && v@ >= 0 && v@ <= 1);",
        "int v@ = sv_choose(2);",
        "v@",
    ),
    (
        "int v@ = 5; int n@ = __isoc99_fscanf(stdin, \"%d\", &v@); __VERIFIER_assume(n@ == 1 && v@ >= 0 && v@ <= 1);",
        "int v@ = sv_choose(2);",
        "v@",
    ),
    ("int c@ = _IO_getc(stdin); __VERIFIER_assume(c@ >= 0 && c@ <= 1);", "int c@ = sv_choose(2);", "c@"),
    (
        "unsigned char b@ = 3; long n@ = pread(0, &b@, 1, 0); __VERIFIER_assume(n@ == 1 && b@ <= 1);",
        "unsigned char b@ = sv_choose(2);",
        "b@",
    ),
    (
        "unsigned char b@ = 3; long n@ = recv(0, &b@, 1, 0); __VERIFIER_assume(n@ == 1 && b@ <= 1);",
        "unsigned char b@ = sv_choose(2);",
        "b@",
    ),
    (
        "struct pollfd { int fd; short events, got; } e@ = { 0, 1, 9 }; int n@ = poll(&e@, 1, 0); __VERIFIER_assume(n@ >= 0 && e@.got >= 0 && e@.got <= 1);",
        "int n@ = sv_choose(2);",
        "n@",
    ),
    (
        "long s@ = 1; int n@ = select(1, &s@, 0, 0, 0); __VERIFIER_assume(n@ >= 0);",
        "long s@ = sv_choose(2); int n@ = s@;",
        "n@ + 2 * s@",
    ),
];

/// Calls that nothing in the program can tell, whatever they return. The judge leaves them out.
const NOISE: &[&str] = &[
    "puts(\"x\")",
    "fputs(\"x\", stdout)",
    "putchar('x')",
    "putc('x', stderr)",
    "fputc('x', stdout)",
    "perror(\"x\")",
    "fflush(stdout)",
    "fprintf(stderr, \"%d\\n\", 1)",
    "dprintf(1, \"x\")",
    "fwrite(\"ab\", 1, 2, stdout)",
    "ungetc('x', stdin)",
    "fseek(stdin, 0, 0)",
    "ftell(stdin)",
    "feof(stdin)",
    "ferror(stdout)",
    "clearerr(stdin)",
    "rewind(stdin)",
    "fileno(stdout)",
    "setvbuf(stdout, 0, 2, 0)",
    "setbuf(stdout, 0)",
    "flockfile(stdout)",
    "funlockfile(stdout)",
    "write(1, \"ab\", 2)",
    "close(7)",
    "dup(1)",
    "fsync(1)",
    "access(\"x\", 0)",
    "isatty(0)",
    "unlink(\"x\")",
    "remove(\"x\")",
    "rename(\"x\", \"y\")",
    "rmdir(\"x\")",
    "chdir(\"x\")",
    "getppid()",
    "sysconf(1)",
    "getpagesize()",
    "getenv(\"HOME\")",
    "strerror(1)",
    "sleep(0)",
    "usleep(1)",
    "sched_yield()",
    "srand(1)",
    "srandom(1)",
    "srand48(1)",
    "__sync_synchronize()",
    "pthread_yield()",
    "pthread_testcancel()",
    "thrd_yield()",
    "pthread_setcancelstate(1, 0)",
    "pthread_setcanceltype(0, 0)",
    "pthread_setconcurrency(1)",
    "sqrt(2.0)",
    "fabs(-1.0)",
    "pow(2.0, 3.0)",
    "floor(1.5)",
    "atof(\"1.5\")",
    "alarm(0)",
    "time(0)",
    "getchar_unlocked()",
    "getc_unlocked(stdin)",
    "difftime(2, 1)",
    "sin(1.0)",
    "cos(1.0)",
    "exp(1.0)",
    "log(2.0)",
    "fmod(5.0, 3.0)",
    "ceil(0.5)",
    "round(0.5)",
    "trunc(1.5)",
    "isatty(1)",
    "nanosleep(&(struct timespec){ 0, 1 }, 0)",
    "thrd_sleep(&(struct timespec){ 0, 1 }, 0)",
    "fclose(tmpfile())",
    "clock_nanosleep(0, 0, &(struct timespec){ 0, 1 }, 0)",
    "syslog(6, \"%d\", 1)",
    "__printf_chk(1, \"x\")",
    "__fprintf_chk(stderr, 1, \"%s\", \"x\")",
    "say(\"%d\", 1)",
    "fclose(fopen(\"x\", \"r\"))",
    "fclose(fdopen(0, \"r\"))",
    "open(\"x\", 0)",
    "pwrite(1, \"ab\", 2, 0)",
    "send(1, \"ab\", 2, 0)",
    "_mm_pause()",
    "__CPROVER_fence(\"WWfence\")",
    "__VERIFIER_print(1)",
    "__goblint_split_begin(1)",
    "__goblint_split_end(1)",
    "pthread_setname_np(pthread_self(), \"x\")",
    "pthread_setschedparam(pthread_self(), 0, &(struct sched_param){ 0 })",
    "pthread_setschedprio(pthread_self(), 0)",
    "pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), &(cpu_set_t){ { 1 } })",
    "sched_setscheduler(0, 0, &(struct sched_param){ 0 })",
    "sched_setaffinity(0, sizeof(cpu_set_t), &(cpu_set_t){ { 1 } })",
    "mlockall(1)",
    "({ pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setstacksize(&a, 65536); pthread_attr_setguardsize(&a, 0); pthread_attr_destroy(&a); })",
    "({ pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setinheritsched(&a, 0); pthread_attr_setschedpolicy(&a, 0); pthread_attr_setscope(&a, 0); pthread_attr_destroy(&a); })",
    "({ pthread_attr_t a; struct sched_param p = { 0 }; pthread_attr_init(&a); pthread_attr_setschedparam(&a, &p); pthread_attr_destroy(&a); })",
    "({ pthread_attr_t a; cpu_set_t s = { { 1 } }; pthread_attr_init(&a); pthread_attr_setaffinity_np(&a, sizeof s, &s); pthread_attr_destroy(&a); })",
    "({ pthread_attr_t a; char s[8]; pthread_attr_init(&a); pthread_attr_setstack(&a, s, 8); pthread_attr_setdetachstate(&a, 0); pthread_attr_destroy(&a); })",
    "({ pthread_barrierattr_t a; pthread_barrierattr_init(&a); pthread_barrierattr_setpshared(&a, 0); pthread_barrierattr_destroy(&a); })",
    "({ pthread_condattr_t a; pthread_condattr_init(&a); pthread_condattr_setclock(&a, 0); pthread_condattr_setpshared(&a, 0); pthread_condattr_destroy(&a); })",
    "({ pthread_rwlockattr_t a; pthread_rwlockattr_init(&a); pthread_rwlockattr_setpshared(&a, 0); pthread_rwlockattr_setkind_np(&a, 0); pthread_rwlockattr_destroy(&a); })",
    "({ pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_setpshared(&a, 0); pthread_mutexattr_setrobust(&a, 0); pthread_mutexattr_setprotocol(&a, 0); pthread_mutexattr_destroy(&a); })",
    "({ pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_setrobust_np(&a, 0); pthread_mutexattr_destroy(&a); })",
];

impl Maker {
    /// A row's text with names of its own.
    fn named(&mut self, number: &str, text: &str) -> String {
        text.replace('@', number)
    }

    pub fn call(&mut self) {
        let &(before, value) = self.random.pick(CALLS);
        let number = self.fresh("");
        let (before, value) = (self.named(&number, before), self.named(&number, value));
        if !before.is_empty() {
            self.line(before);
        }
        self.store(&value);
    }

    pub fn input(&mut self) {
        let &(ours, theirs, value) = self.random.pick(INPUTS);
        let number = self.fresh("");
        let (ours, theirs) = (self.named(&number, ours), self.named(&number, theirs));
        self.line(format!("«? {ours}¦{theirs}»"));
        let value = self.named(&number, value);
        self.store(&value);
    }

    /// A function that prints what it is given, in one of the ways that take a list of arguments.
    pub fn printer(&mut self) {
        let call = *self.random.pick(&[
            "vprintf(f, a)",
            "vfprintf(stdout, f, a)",
            "vdprintf(1, f, a)",
            "(vsyslog(6, f, a), 0)",
        ]);
        self.name("say");
        self.line(format!(
            "«? static int say(const char *f, ...) {{ __builtin_va_list a; __builtin_va_start(a, f); int n = {call}; __builtin_va_end(a); return n; }}¦»"
        ));
    }

    pub fn noise(&mut self) {
        let call = *self.random.pick(NOISE);
        self.line(format!("«? (void){call};¦»"));
    }
}
