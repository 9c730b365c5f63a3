#include <errno.h>
#include <time.h>
#define SEM_VALUE_MAX 2147483647
typedef struct { int __value; } sem_t;
static inline int sem_init(sem_t *s, int shared, unsigned n) { s->__value = n; return 0; }
static inline int sem_destroy(sem_t *s) { return 0; }
static inline int sem_wait(sem_t *s) {
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
