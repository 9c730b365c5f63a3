#include <stddef.h>
#include <stdint.h>
typedef int pid_t;
typedef long ssize_t;
typedef unsigned useconds_t;
#include <litmus/cancel.h>
static inline unsigned sleep(unsigned n) { __litmus_testcancel(); return 0; }
static inline int usleep(unsigned n) { __litmus_testcancel(); return 0; }
static inline int pause(void) { __litmus_await(0); return -1; }
static inline ssize_t write(int file, const void *from, size_t n) { __litmus_testcancel(); return n; }
static inline ssize_t read(int file, void *to, size_t n) {
    __litmus_testcancel();
    char *bytes = to;
    size_t given = __litmus_nondet(-1, 3);
    if ((long)given > (long)n) given = n;
    for (size_t at = 0; (long)at < (long)given; at++) bytes[at] = __VERIFIER_nondet_char();
    return given;
}
static inline int close(int file) { return 0; }
static inline int unlink(const char *path) { return -__litmus_nondet(0, 1); }
static inline int isatty(int file) { return __litmus_nondet(0, 1); }
static inline unsigned alarm(unsigned n) { return 0; }
static inline int gettid(void) { return __litmus_self(); }
static inline int getppid(void) { return 1; }
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define F_OK 0
static inline int access(const char *path, int how) { return -__litmus_nondet(0, 1); }
static char *optarg;
static int optind = 1, opterr = 1, optopt, __opt_at;
static inline int getopt(int argc, char *const argv[], const char *known) {
    if (optind >= argc || !argv[optind] || argv[optind][0] != '-' || !argv[optind][1]) return -1;
    const char *word = argv[optind];
    if (word[1] == '-' && !word[2]) { optind++; return -1; }
    int c = word[1 + __opt_at];
    optopt = c;
    int last = !word[2 + __opt_at];
    while (*known && *known != c) known++;
    if (*known && known[1] == ':') {
        optarg = last ? argv[optind + 1] : (char *)&word[2 + __opt_at];
        optind += 1 + last;
        __opt_at = 0;
        return optarg ? c : '?';
    }
    if (last) { optind++; __opt_at = 0; } else __opt_at++;
    return *known ? c : '?';
}
static inline pid_t getpid(void) { return 1; }
#define _SC_NPROCESSORS_ONLN 84
static inline long sysconf(int name) { return 4; }
#define _exit(n) __litmus_stop()
