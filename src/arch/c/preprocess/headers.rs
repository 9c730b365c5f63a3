//! The headers that come with litmus. What a library function does is written there, in C.

/// Name and text.
const HEADERS: &[(&str, &str)] = &[
    ("assert.h", include_str!("headers/assert.h")),
    ("alloca.h", "#include <stdlib.h>\n"),
    ("litmus/cancel.h", include_str!("headers/cancel.h")),
    ("ctype.h", include_str!("headers/ctype.h")),
    ("emmintrin.h", INTRINSICS),
    ("errno.h", include_str!("headers/errno.h")),
    ("immintrin.h", INTRINSICS),
    ("inttypes.h", include_str!("headers/inttypes.h")),
    ("iso646.h", ISO646),
    ("limits.h", include_str!("headers/limits.h")),
    ("malloc.h", "#include <stdlib.h>\n"),
    ("math.h", include_str!("headers/math.h")),
    ("memory.h", "#include <string.h>\n"),
    ("pthread.h", include_str!("headers/pthread.h")),
    ("setjmp.h", SETJMP),
    ("signal.h", SIGNAL),
    ("sched.h", include_str!("headers/sched.h")),
    ("semaphore.h", include_str!("headers/semaphore.h")),
    ("stdarg.h", include_str!("headers/stdarg.h")),
    ("stdatomic.h", include_str!("headers/stdatomic.h")),
    ("stdalign.h", "#define alignas _Alignas\n#define alignof _Alignof\n"),
    ("stdbool.h", include_str!("headers/stdbool.h")),
    ("stdckdint.h", CHECKED),
    ("stddef.h", include_str!("headers/stddef.h")),
    ("stdint.h", include_str!("headers/stdint.h")),
    ("stdio.h", include_str!("headers/stdio.h")),
    ("stdlib.h", include_str!("headers/stdlib.h")),
    ("stdnoreturn.h", "#define noreturn _Noreturn\n"),
    ("string.h", include_str!("headers/string.h")),
    ("strings.h", "#include <string.h>\n"),
    ("sys/types.h", "#include <stdint.h>\n#include <unistd.h>\n"),
    ("threads.h", include_str!("headers/threads.h")),
    ("sys/time.h", "#include <time.h>\n"),
    ("time.h", include_str!("headers/time.h")),
    ("uchar.h", "typedef unsigned short char16_t;\ntypedef unsigned int char32_t;\n"),
    ("unistd.h", include_str!("headers/unistd.h")),
    (
        "fcntl.h",
        "#include <unistd.h>\n#define O_RDONLY 0\n#define O_WRONLY 1\n#define O_RDWR 2\n#define O_CREAT 64\n#define O_TRUNC 512\nint open(const char *path, int flags, ...);\n",
    ),
    ("linux/futex.h", "#include <sys/syscall.h>\n"),
    ("getopt.h", "#include <unistd.h>\n"),
    ("sys/mman.h", "#define MAP_FAILED ((void *)-1)\n"),
    ("locale.h", "#define LC_ALL 6\n#define setlocale(category, name) ((char *)0)\n"),
    ("error.h", "void error(int status, int number, const char *format, ...);\n"),
    (
        "err.h",
        "#include <stdio.h>\n#include <stdlib.h>\n#define err(n, ...) (printf(__VA_ARGS__), exit(n))\n#define errx(n, ...) (printf(__VA_ARGS__), exit(n))\n#define warn(...) printf(__VA_ARGS__)\n#define warnx(...) printf(__VA_ARGS__)\n",
    ),
    ("sys/stat.h", "#include <unistd.h>\n"),
    (
        "sys/wait.h",
        "#include <unistd.h>\npid_t wait(int *status);\npid_t waitpid(pid_t p, int *status, int options);\n",
    ),
    ("sys/syscall.h", FUTEX),
    ("sys/cdefs.h", "\n"),
    (
        "float.h",
        "#define DBL_MAX 1.7976931348623157e308\n#define DBL_MIN 2.2250738585072014e-308\n#define DBL_EPSILON 2.2204460492503131e-16\n#define FLT_MAX 3.40282347e38f\n#define FLT_EPSILON 1.1920929e-7f\n",
    ),
    ("wchar.h", "#include <stddef.h>\ntypedef unsigned int wint_t;\n"),
    ("x86intrin.h", INTRINSICS),
    ("xmmintrin.h", INTRINSICS),
    ("genmc.h", include_str!("headers/verifier.h")),
    ("dat3m.h", include_str!("headers/verifier.h")),
    ("verifier.h", include_str!("headers/verifier.h")),
    ("linux.h", LINUX),
    ("lkmm.h", LINUX),
    ("litmus.h", include_str!("headers/verifier.h")),
];

/// Declared, so that calls of them are found: nobody says what they do.
const SIGNAL: &str = "typedef int sig_atomic_t;\ntypedef void (*__handler)(int);\ntypedef unsigned long sigset_t;\ntypedef struct { int si_signo; } siginfo_t;\n\
struct sigaction { __handler sa_handler; void (*sa_sigaction)(int, siginfo_t *, void *); sigset_t sa_mask; int sa_flags; };\n\
__handler signal(int n, __handler f);\nint sigaction(int n, const struct sigaction *new, struct sigaction *old);\nint raise(int n);\nint kill(int p, int n);\nint pthread_kill(unsigned long t, int n);\n\
static inline int sigemptyset(sigset_t *s) { *s = 0; return 0; }\nstatic inline int sigfillset(sigset_t *s) { *s = -1ul; return 0; }\n\
static inline int sigaddset(sigset_t *s, int n) { *s |= 1ul << n; return 0; }\nstatic inline int sigdelset(sigset_t *s, int n) { *s &= ~(1ul << n); return 0; }\n\
static inline int sigismember(const sigset_t *s, int n) { return *s >> n & 1; }\nstatic inline int sigprocmask(int how, const sigset_t *new, sigset_t *old) { if (old) *old = 0; return 0; }\n\
static inline int pthread_sigmask(int how, const sigset_t *new, sigset_t *old) { if (old) *old = 0; return 0; }\n\
#define SIG_BLOCK 0\n#define SIG_UNBLOCK 1\n#define SIG_SETMASK 2\n#define SA_RESTART 1\n#define SA_SIGINFO 4\n\
#define SIGHUP 1\n#define SIGINT 2\n#define SIGQUIT 3\n#define SIGABRT 6\n#define SIGKILL 9\n#define SIGUSR1 10\n#define SIGSEGV 11\n#define SIGUSR2 12\n#define SIGPIPE 13\n#define SIGALRM 14\n#define SIGTERM 15\n#define SIGCHLD 17\n\
#define SIG_DFL ((__handler)0)\n#define SIG_IGN ((__handler)1)\n#define SIG_ERR ((__handler)-1)\n";

/// Who waits on a word may wake up for nothing: so it does at once, and looks again.
const FUTEX: &str = "#include <unistd.h>\n#define FUTEX_WAIT 0\n#define FUTEX_WAKE 1\n#define FUTEX_PRIVATE_FLAG 128\n#define FUTEX_WAIT_PRIVATE 128\n#define FUTEX_WAKE_PRIVATE 129\n\
#define SYS_futex 202\n#define __NR_futex 202\n#define SYS_gettid 186\n#define __NR_gettid 186\nstatic inline long syscall(long n, ...) { return n == SYS_gettid ? (long)__litmus_self() : 0; }\n";

/// Declared, so that calls of them are found.
const SETJMP: &str = "typedef int jmp_buf[1];\ntypedef int sigjmp_buf[1];\nint setjmp(jmp_buf b);\nint _setjmp(jmp_buf b);\nint sigsetjmp(sigjmp_buf b, int mask);\n\
void longjmp(jmp_buf b, int n);\nvoid _longjmp(jmp_buf b, int n);\nvoid siglongjmp(sigjmp_buf b, int n);\n";

const ISO646: &str = "#define and &&\n#define or ||\n#define not !\n#define bitand &\n#define bitor |\n#define xor ^\n#define compl ~\n\
#define and_eq &=\n#define or_eq |=\n#define xor_eq ^=\n#define not_eq !=\n";

const CHECKED: &str = "#define ckd_add(r, a, b) __builtin_add_overflow(a, b, r)\n#define ckd_sub(r, a, b) __builtin_sub_overflow(a, b, r)\n\
#define ckd_mul(r, a, b) __builtin_mul_overflow(a, b, r)\n";

/// What programs take from the headers of a processor.
const INTRINSICS: &str = "#define _mm_pause() ((void)0)\n#define _mm_mfence() __litmus_full_fence()\n#define _mm_sfence() __atomic_thread_fence(__ATOMIC_RELEASE)\n#define _mm_lfence() __atomic_thread_fence(__ATOMIC_ACQUIRE)\n";

const LINUX: &str = include_str!("headers/linux.h");

/// The text of a header that is known by its name.
pub fn of_c(name: &str) -> Option<&'static str> {
    HEADERS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The text of a header, the kernel's included.
pub fn find(name: &str) -> Option<&'static str> {
    // The kernel's functions are in one place, whatever header declares them there.
    of_c(name).or_else(|| (name.starts_with("linux/") || name.starts_with("asm/")).then_some(LINUX))
}

/// The header that knows a name, the one that programs include for it.
pub fn declaring(name: &str) -> Option<&'static str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = |text: &'static str| text.split(move |c: char| !is_part(c)).filter(|word| !word.is_empty());
    let declares = |line: &'static str| match line {
        _ if line.starts_with("#define ") => words(line).nth(1) == Some(name),
        _ if line.starts_with("typedef ") => words(line).next_back() == Some(name),
        _ if line.starts_with("enum ") => words(line).any(|word| word == name),
        _ if line.starts_with("static ") => {
            line.split('(').next().and_then(|head| words(head).next_back()) == Some(name)
        }
        _ => false,
    };
    let ours = name.starts_with("__");
    HEADERS.iter().find(|(_, text)| !ours && text.lines().any(declares)).map(|(header, _)| *header)
}

/// Does some header say anything of a function of that name, be it only that there is one?
pub fn mentions(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let declares = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            !before.ends_with(is_part) && after.starts_with(['(', ')'])
        })
    };
    HEADERS.iter().any(|(_, text)| text.lines().any(declares))
}

/// The names of all that programs include.
pub fn names() -> impl Iterator<Item = &'static str> {
    HEADERS.iter().map(|(name, _)| *name).filter(|name| !name.starts_with("litmus/"))
}
