#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <time.h>

typedef unsigned long pthread_t;
typedef int pthread_attr_t;
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define pthread_create(t, attr, f, arg) (__litmus_spawn(t, f, (void *)(arg)), 0)
static inline int __pthread_join(pthread_t t, void **result) {
    void *value = __litmus_join(t);
    if (result) *result = value;
    return 0;
}
#define pthread_join(t, result) __pthread_join(t, (void **)(result))
#define pthread_exit(value) __litmus_exit(value)
#define pthread_self() __litmus_self()
#define pthread_equal(a, b) ((a) == (b))
static inline int pthread_detach(pthread_t t) { return 0; }
static inline int pthread_attr_init(pthread_attr_t *a) { return 0; }
static inline int pthread_attr_destroy(pthread_attr_t *a) { return 0; }
static inline int pthread_attr_setdetachstate(pthread_attr_t *a, int state) { return 0; }

typedef struct { int __held; int __destroyed; } pthread_mutex_t;
typedef int pthread_mutexattr_t;
#define PTHREAD_MUTEX_INITIALIZER {0}
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_DEFAULT 0
#define PTHREAD_MUTEX_ERRORCHECK 2
static inline int pthread_mutexattr_init(pthread_mutexattr_t *a) { return 0; }
static inline int pthread_mutexattr_destroy(pthread_mutexattr_t *a) { return 0; }
static inline int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a) {
    m->__held = 0;
    m->__destroyed = 0;
    return 0;
}
static inline int pthread_mutex_lock(pthread_mutex_t *m) {
    __litmus_acquire(&m->__held);
    return 0;
}
static inline int pthread_mutex_trylock(pthread_mutex_t *m) {
    int free = 0;
    return __atomic_compare_exchange_n(&m->__held, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE) ? 0 : EBUSY;
}
static inline int pthread_mutex_unlock(pthread_mutex_t *m) {
    __atomic_store_n(&m->__held, 0, __ATOMIC_RELEASE);
    return 0;
}
static inline int pthread_mutex_destroy(pthread_mutex_t *m) { return 0; }

typedef pthread_mutex_t pthread_spinlock_t;
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
static inline int pthread_spin_init(pthread_spinlock_t *m, int shared) { return pthread_mutex_init(m, 0); }
static inline int pthread_spin_lock(pthread_spinlock_t *m) { return pthread_mutex_lock(m); }
static inline int pthread_spin_trylock(pthread_spinlock_t *m) { return pthread_mutex_trylock(m); }
static inline int pthread_spin_unlock(pthread_spinlock_t *m) { return pthread_mutex_unlock(m); }
static inline int pthread_spin_destroy(pthread_spinlock_t *m) { return 0; }

/* Who waits must see the generation change: a signal is one, a broadcast too (a waiter may always wake up for nothing). */
typedef struct { int __generation; } pthread_cond_t;
typedef int pthread_condattr_t;
#define PTHREAD_COND_INITIALIZER {0}
static inline int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a) { c->__generation = 0; return 0; }
static inline int pthread_cond_destroy(pthread_cond_t *c) { return 0; }
static inline int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    int before = __atomic_load_n(&c->__generation, __ATOMIC_RELAXED);
    pthread_mutex_unlock(m);
    __litmus_assume(__atomic_load_n(&c->__generation, __ATOMIC_ACQUIRE) != before);
    return pthread_mutex_lock(m);
}
static inline int pthread_cond_signal(pthread_cond_t *c) {
    __atomic_fetch_add(&c->__generation, 1, __ATOMIC_RELEASE);
    return 0;
}
static inline int pthread_cond_broadcast(pthread_cond_t *c) { return pthread_cond_signal(c); }

/* Readers count up from 0, a writer sets -1. */
typedef struct { int __count; } pthread_rwlock_t;
typedef int pthread_rwlockattr_t;
#define PTHREAD_RWLOCK_INITIALIZER {0}
static inline int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a) { l->__count = 0; return 0; }
static inline int pthread_rwlock_destroy(pthread_rwlock_t *l) { return 0; }
static inline int pthread_rwlock_rdlock(pthread_rwlock_t *l) {
    int old = __atomic_load_n(&l->__count, __ATOMIC_RELAXED);
    __litmus_assume(old >= 0);
    __litmus_assume(__atomic_compare_exchange_n(&l->__count, &old, old + 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return 0;
}
static inline int pthread_rwlock_wrlock(pthread_rwlock_t *l) {
    int free = 0;
    __litmus_assume(__atomic_compare_exchange_n(&l->__count, &free, -1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return 0;
}
static inline int pthread_rwlock_unlock(pthread_rwlock_t *l) {
    if (__atomic_load_n(&l->__count, __ATOMIC_RELAXED) < 0)
        __atomic_store_n(&l->__count, 0, __ATOMIC_RELEASE);
    else
        __atomic_fetch_sub(&l->__count, 1, __ATOMIC_RELEASE);
    return 0;
}

typedef struct { int __arrived; int __count; } pthread_barrier_t;
typedef int pthread_barrierattr_t;
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
static inline int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned n) {
    b->__arrived = 0;
    b->__count = n;
    return 0;
}
static inline int pthread_barrier_destroy(pthread_barrier_t *b) { return 0; }
static inline int pthread_barrier_wait(pthread_barrier_t *b) {
    int mine = __atomic_fetch_add(&b->__arrived, 1, __ATOMIC_ACQ_REL);
    int last = mine / b->__count * b->__count + b->__count;
    __litmus_assume(__atomic_load_n(&b->__arrived, __ATOMIC_ACQUIRE) >= last);
    return mine + 1 == last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* 0: not yet, 1: at it, 2: done. */
typedef struct { int __state; } pthread_once_t;
#define PTHREAD_ONCE_INIT {0}
static inline int pthread_once(pthread_once_t *o, void (*f)(void)) {
    int fresh = 0;
    if (__atomic_compare_exchange_n(&o->__state, &fresh, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        f();
        __atomic_store_n(&o->__state, 2, __ATOMIC_RELEASE);
    } else {
        __litmus_assume(__atomic_load_n(&o->__state, __ATOMIC_ACQUIRE) == 2);
    }
    return 0;
}
