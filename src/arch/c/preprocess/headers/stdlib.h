#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define malloc(n) __litmus_malloc(n)
#define calloc(n, size) __litmus_calloc((n) * (size))
#define aligned_alloc(align, n) \
    ({ size_t __align = (align); __litmus_assert(__align && !(__align & (__align - 1)), "an alignment is a power of two"); __litmus_malloc(n); })
#define realloc(p, n) __litmus_realloc(p, n)
#define reallocarray(p, n, size) __litmus_realloc(p, (n) * (size))
#define free(p) __litmus_free(p)
#define exit(n) __litmus_stop()
#define _Exit(n) __litmus_stop()
#define abort() __litmus_assume(0)
#define alloca(n) __builtin_alloca(n)
static inline int posix_memalign(void **p, size_t align, size_t n) { *p = __litmus_malloc(n); return 0; }
static inline int abs(int n) { return n < 0 ? -n : n; }
#define RAND_MAX 65535
#define rand() __litmus_rand()
#define random() __litmus_rand()
#define srandom(n) ((void)(n))
#define quick_exit(n) __litmus_stop()
#define atexit(f) 0
static inline long labs(long n) { return n < 0 ? -n : n; }
static inline void srand(unsigned n) { }
