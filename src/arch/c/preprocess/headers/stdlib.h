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
static inline _Noreturn void abort(void) { __litmus_assume(0); }
/* The functions themselves, for pointers to them. */
static inline void *(malloc)(size_t n) { return malloc(n); }
static inline void *(calloc)(size_t n, size_t size) { return calloc(n, size); }
static inline void *(realloc)(void *p, size_t n) { return realloc(p, n); }
static inline void (free)(void *p) { free(p); }
static inline void (exit)(int n) { exit(n); }
#define alloca(n) __builtin_alloca(n)
static inline int posix_memalign(void **p, size_t align, size_t n) { *p = __litmus_malloc(n); return 0; }
static inline int abs(int n) { return n < 0 ? -n : n; }
#define RAND_MAX 65535
#define rand() __litmus_rand()
#define random() __litmus_rand()
#define srandom(n) ((void)(n))
#define quick_exit(n) __litmus_stop()
#define atexit(f) 0
static inline long long llabs(long long n) { return n < 0 ? -n : n; }
static inline long strtol(const char *s, char **end, int base) {
    const char *at = s;
    while (*at == ' ' || *at >= '\t' && *at <= '\r') at++;
    int negative = *at == '-';
    if (*at == '-' || *at == '+') at++;
    int hexadecimal = *at == '0' && (at[1] == 'x' || at[1] == 'X');
    if (hexadecimal && (base == 0 || base == 16)) { at += 2; base = 16; }
    if (base == 0) base = *at == '0' ? 8 : 10;
    long n = 0;
    const char *first = at;
    for (;;) {
        int digit = *at >= '0' && *at <= '9' ? *at - '0' : *at >= 'a' && *at <= 'z' ? *at - 'a' + 10 : *at >= 'A' && *at <= 'Z' ? *at - 'A' + 10 : 99;
        if (digit >= base) break;
        n = n * base + digit;
        at++;
    }
    if (end) *end = (char *)(at == first ? s : at);
    return negative ? -n : n;
}
#define strtoll(s, end, base) ((long long)strtol(s, end, base))
#define strtoul(s, end, base) ((unsigned long)strtol(s, end, base))
#define strtoull(s, end, base) ((unsigned long long)strtol(s, end, base))
#define atoi(s) ((int)strtol(s, 0, 10))
#define atol(s) strtol(s, 0, 10)
#define atoll(s) ((long long)strtol(s, 0, 10))
/* By insertion: what is compared with what is not said. */
static inline void qsort(void *all, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    char *first = all;
    for (size_t at = 1; at < n; at++) {
        char *moved = __builtin_alloca(size);
        __litmus_copy(moved, first + at * size, size);
        size_t to = at;
        for (; to > 0 && compare(first + (to - 1) * size, moved) > 0; to--)
            __litmus_copy(first + to * size, first + (to - 1) * size, size);
        __litmus_copy(first + to * size, moved, size);
    }
}
static inline void *bsearch(const void *key, const void *all, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    size_t low = 0;
    while (low < n) {
        size_t middle = low + (n - low) / 2;
        const char *at = (const char *)all + middle * size;
        int order = compare(key, at);
        if (!order) return (void *)at;
        if (order < 0) n = middle; else low = middle + 1;
    }
    return 0;
}
static inline long labs(long n) { return n < 0 ? -n : n; }
static inline void srand(unsigned n) { }
static inline int (rand)(void) { return rand(); }
static inline int (atoi)(const char *s) { return atoi(s); }
static inline long (atol)(const char *s) { return atol(s); }
static inline unsigned long (strtoul)(const char *s, char **end, int base) { return strtoul(s, end, base); }
