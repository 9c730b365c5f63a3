#include <errno.h>
#include <time.h>
#define SEM_VALUE_MAX 2147483647
typedef struct { int __value; } sem_t;
static inline int sem_init(sem_t *s, int shared, unsigned n) { s->__value = n; return 0; }
static inline int sem_destroy(sem_t *s) { return 0; }
/* Those of one name are one; made once, by whoever comes first. */
#define SEM_FAILED ((sem_t *)0)
static sem_t __sem_named[4];
static const char *__sem_names[4];
static inline int __sem_same(const char *a, const char *b) {
    while (*a && *a == *b) { a++; b++; }
    return *a == *b;
}
static inline sem_t *__sem_open(const char *name, unsigned n) {
    for (int at = 0; at < 4; at++) {
        if (!__sem_names[at]) {
            __sem_names[at] = name;
            __sem_named[at].__value = n;
            return &__sem_named[at];
        }
        if (__sem_same(__sem_names[at], name)) return &__sem_named[at];
    }
    return SEM_FAILED;
}
#define __SEM_OPEN(name, flags, mode, n, ...) __sem_open(name, n)
#define sem_open(...) __SEM_OPEN(__VA_ARGS__, 0, 0, 0)
static inline int sem_close(sem_t *s) { return 0; }
static inline int sem_unlink(const char *name) { return 0; }
static inline int sem_wait(sem_t *s) {
    __litmus_testcancel();
    int old = __atomic_load_n(&s->__value, __ATOMIC_RELAXED);
    __litmus_await(old > 0);
    __litmus_await(__atomic_compare_exchange_n(&s->__value, &old, old - 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return 0;
}
static inline int sem_trywait(sem_t *s) {
    int old = __atomic_load_n(&s->__value, __ATOMIC_RELAXED);
    if (old > 0 && __atomic_compare_exchange_n(&s->__value, &old, old - 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
        return 0;
    errno = EAGAIN;
    return -1;
}
/* The time may be up at once. */
static inline int sem_timedwait(sem_t *s, const struct timespec *t) {
    if (!sem_trywait(s)) return 0;
    errno = ETIMEDOUT;
    return -1;
}
static inline int sem_post(sem_t *s) { __atomic_fetch_add(&s->__value, 1, __ATOMIC_RELEASE); return 0; }
static inline int sem_getvalue(sem_t *s, int *n) { *n = __atomic_load_n(&s->__value, __ATOMIC_RELAXED); return 0; }
