#include <stddef.h>
#define memcpy(to, from, n) __litmus_copy(to, from, n)
#define memmove(to, from, n) __litmus_copy(to, from, n)
#define memset(to, c, n) __litmus_fill(to, c, n)
#define bzero(to, n) __litmus_fill(to, 0, n)
#define ffs(n) __builtin_ffs(n)
static inline size_t strlen(const char *s) { size_t n = 0; while (s[n]) n++; return n; }
static inline int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) { a++; b++; }
    return (unsigned char)*a - (unsigned char)*b;
}
static inline char *strcpy(char *to, const char *from) {
    size_t n = 0;
    while ((to[n] = from[n])) n++;
    return to;
}
