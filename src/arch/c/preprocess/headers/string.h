#include <stddef.h>
#define memcpy(to, from, n) __litmus_copy(to, from, n)
#define memmove(to, from, n) __litmus_move(to, from, n)
#define memset(to, c, n) __litmus_fill(to, c, n)
#define bzero(to, n) __litmus_fill(to, 0, n)
#define ffs(n) __builtin_ffs(n)
#define ffsl(n) __builtin_ffsl(n)
#define ffsll(n) __builtin_ffsll(n)
static inline int memcpy_s(void *to, size_t most, const void *from, size_t n) {
    if (!to || !from || n > most) {
        if (to) __litmus_fill(to, 0, most);
        return n > most ? 34 : 22;
    }
    __litmus_copy(to, from, n);
    return 0;
}
static inline int memmove_s(void *to, size_t most, const void *from, size_t n) {
    if (!to || !from || n > most) {
        if (to) __litmus_fill(to, 0, most);
        return n > most ? 34 : 22;
    }
    __litmus_move(to, from, n);
    return 0;
}
static inline int memset_s(void *to, size_t most, int c, size_t n) {
    if (!to) return 22;
    __litmus_fill(to, c, n > most ? most : n);
    return n > most ? 34 : 0;
}
static inline int strcpy_s(char *to, size_t most, const char *from) {
    size_t n = 0;
    while (from[n]) n++;
    if (n >= most) { if (most) to[0] = 0; return 34; }
    for (size_t at = 0; at <= n; at++) to[at] = from[at];
    return 0;
}
static inline char *strerror(int n) { return (char *)"error"; }
static inline void *(memcpy)(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
static inline void *(memmove)(void *to, const void *from, size_t n) { return memmove(to, from, n); }
static inline void *(memset)(void *to, int c, size_t n) { return memset(to, c, n); }
static inline int strncmp(const char *a, const char *b, size_t n) {
    while (n && *a && *a == *b) { a++; b++; n--; }
    return n ? (unsigned char)*a - (unsigned char)*b : 0;
}
static inline int memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *x = a, *y = b;
    while (n && *x == *y) { x++; y++; n--; }
    return n ? *x - *y : 0;
}
static inline char *strncpy(char *to, const char *from, size_t n) {
    size_t at = 0;
    for (; at < n && from[at]; at++) to[at] = from[at];
    for (; at < n; at++) to[at] = 0;
    return to;
}
static inline char *strcat(char *to, const char *from) {
    char *end = to;
    while (*end) end++;
    while ((*end++ = *from++)) ;
    return to;
}
static inline char *strchr(const char *s, int c) {
    for (; *s != (char)c; s++) if (!*s) return 0;
    return (char *)s;
}
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
static inline char *strdup(const char *s) {
    size_t n = strlen(s) + 1;
    char *copy = __litmus_malloc(n);
    for (size_t at = 0; at < n; at++) copy[at] = s[at];
    return copy;
}
static inline char *strrchr(const char *s, int c) {
    char *found = 0;
    for (; *s; s++) if (*s == (char)c) found = (char *)s;
    return found;
}
static inline size_t strnlen(const char *s, size_t most) { size_t n = 0; while (n < most && s[n]) n++; return n; }
static inline char *strncat(char *to, const char *from, size_t n) {
    char *end = to;
    while (*end) end++;
    while (n-- && *from) *end++ = *from++;
    *end = 0;
    return to;
}
static inline void *memchr(const void *s, int c, size_t n) {
    const unsigned char *at = s;
    for (; n; at++, n--) if (*at == (unsigned char)c) return (void *)at;
    return 0;
}
static inline size_t strspn(const char *s, const char *set) {
    size_t n = 0;
    while (s[n] && strchr(set, s[n])) n++;
    return n;
}
static inline size_t strcspn(const char *s, const char *set) {
    size_t n = 0;
    while (s[n] && !strchr(set, s[n])) n++;
    return n;
}
static inline char *strpbrk(const char *s, const char *set) {
    s += strcspn(s, set);
    return *s ? (char *)s : 0;
}
static inline char *strtok_r(char *s, const char *set, char **rest) {
    if (!s) s = *rest;
    s += strspn(s, set);
    if (!*s) { *rest = s; return 0; }
    char *end = s + strcspn(s, set);
    if (*end) *end++ = 0;
    *rest = end;
    return s;
}
/* One place for all threads: who calls it in two has a race. */
static char *__strtok_rest;
static inline char *strtok(char *s, const char *set) { return strtok_r(s, set, &__strtok_rest); }
static inline int strcasecmp(const char *a, const char *b) {
    for (;; a++, b++) {
        int x = (unsigned char)*a, y = (unsigned char)*b;
        if (x >= 'A' && x <= 'Z') x += 32;
        if (y >= 'A' && y <= 'Z') y += 32;
        if (x != y || !x) return x - y;
    }
}
static inline char *strndup(const char *s, size_t most) {
    size_t n = strnlen(s, most);
    char *copy = __litmus_malloc(n + 1);
    for (size_t at = 0; at < n; at++) copy[at] = s[at];
    copy[n] = 0;
    return copy;
}
static inline char *strstr(const char *s, const char *part) {
    size_t n = strlen(part);
    for (;; s++) {
        if (!strncmp(s, part, n)) return (char *)s;
        if (!*s) return 0;
    }
}
