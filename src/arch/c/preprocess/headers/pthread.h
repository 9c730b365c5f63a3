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
#include <litmus/cancel.h>
#define pthread_exit(value) ({ void *__result = (void *)(value); __pthread_unwind(); __litmus_exit(__result); })
#define pthread_self() __litmus_self()
static inline pthread_t (pthread_self)(void) { return __litmus_self(); }
static inline void (pthread_exit)(void *value) { pthread_exit(value); }
#define pthread_equal(a, b) ((a) == (b))
static inline int (pthread_equal)(pthread_t a, pthread_t b) { return a == b; }
static inline int pthread_detach(pthread_t t) { return 0; }
static inline int pthread_attr_init(pthread_attr_t *a) { return 0; }
static inline int pthread_attr_destroy(pthread_attr_t *a) { return 0; }
static inline int pthread_attr_setdetachstate(pthread_attr_t *a, int state) { return 0; }
static inline int pthread_attr_setstacksize(pthread_attr_t *a, size_t n) { return 0; }
static inline int pthread_attr_setscope(pthread_attr_t *a, int scope) { return 0; }
#define PTHREAD_SCOPE_SYSTEM 0
#define PTHREAD_SCOPE_PROCESS 1
static inline int pthread_attr_getdetachstate(const pthread_attr_t *a, int *state) { *state = PTHREAD_CREATE_JOINABLE; return 0; }
static inline int pthread_attr_setguardsize(pthread_attr_t *a, size_t n) { return 0; }
static inline int pthread_attr_setinheritsched(pthread_attr_t *a, int how) { return 0; }
static inline int pthread_attr_setschedpolicy(pthread_attr_t *a, int how) { return 0; }
#define PTHREAD_INHERIT_SCHED 0
#define PTHREAD_EXPLICIT_SCHED 1
static inline int pthread_setconcurrency(int n) { return 0; }
static inline int pthread_setname_np(pthread_t t, const char *name) { return 0; }
/* A thread that is cancelled ends where it next may: here where it asks, waits or sleeps. */
static inline int pthread_cancel(pthread_t t) {
    __atomic_store_n(&__litmus_cancelled[t & 63], 1, __ATOMIC_SEQ_CST);
    return 0;
}
static inline int pthread_setcancelstate(int state, int *old) {
    if (old) *old = __litmus_cancel_state;
    __litmus_cancel_state = state;
    return 0;
}
static inline int pthread_setcanceltype(int type, int *old) {
    if (old) *old = PTHREAD_CANCEL_DEFERRED;
    if (type != PTHREAD_CANCEL_DEFERRED) __pthread_cancelled_at_once();
    return 0;
}
static inline void pthread_testcancel(void) { __litmus_testcancel(); }

/* A mutex is free (0), taken (1) or destroyed. Who takes it, gives it back and destroys it is checked by the engine; owner and depth are for
   recursive ones, and only there if a program asks for them. */
typedef struct __litmus_mutex { int __held; int __kind; pthread_t __owner; int __depth; } pthread_mutex_t;
typedef int pthread_mutexattr_t;
#define PTHREAD_MUTEX_INITIALIZER {0}
/* Who uses these asks for the kinds of mutexes. */
enum { __PTHREAD_RECURSIVE = 1, __PTHREAD_ERRORCHECK = 2 };
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP {0, __PTHREAD_RECURSIVE}
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP {0, __PTHREAD_ERRORCHECK}
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_DEFAULT 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
static inline int pthread_mutexattr_init(pthread_mutexattr_t *a) { *a = 0; return 0; }
static inline int pthread_mutexattr_settype(pthread_mutexattr_t *a, int kind) { *a = kind; return 0; }
static inline int pthread_mutexattr_gettype(const pthread_mutexattr_t *a, int *kind) { *kind = *a; return 0; }
#define PTHREAD_PRIO_NONE 0
#define PTHREAD_PRIO_INHERIT 1
static inline int pthread_mutexattr_setprotocol(pthread_mutexattr_t *a, int protocol) { return 0; }
#define PTHREAD_PRIO_PROTECT 2
#define PTHREAD_MUTEX_STALLED 0
#define PTHREAD_MUTEX_ROBUST 1
static inline int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *a, int *protocol) { *protocol = PTHREAD_PRIO_NONE; return 0; }
static inline int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *a, int *n) { *n = 0; return 0; }
static inline int pthread_mutexattr_getrobust(const pthread_mutexattr_t *a, int *robust) { *robust = PTHREAD_MUTEX_STALLED; return 0; }
static inline int pthread_mutexattr_getpshared(const pthread_mutexattr_t *a, int *shared) { *shared = 0; return 0; }
static inline int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *a, int n) { return 0; }
static inline int pthread_mutexattr_setrobust(pthread_mutexattr_t *a, int robust) { return 0; }
static inline int pthread_mutexattr_setpshared(pthread_mutexattr_t *a, int shared) { return 0; }
static inline int pthread_mutexattr_destroy(pthread_mutexattr_t *a) { return 0; }
#define __litmus_kinds (__litmus_calls("pthread_mutexattr_settype") || __litmus_calls("mtx_init"))
static inline int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a) {
    m->__held = 0;
    if (__litmus_kinds) {
        m->__kind = a ? *a : 0;
        m->__owner = 0;
        m->__depth = 0;
    }
    return 0;
}
static inline int __pthread_kind(pthread_mutex_t *m) { return m->__kind; }
/* Does this thread hold it already? Only its owner can find itself there. */
static inline int __pthread_owns(pthread_mutex_t *m) {
    return __atomic_load_n(&m->__owner, __ATOMIC_RELAXED) == __litmus_self();
}
static inline int pthread_mutex_lock(pthread_mutex_t *m) {
    if (__litmus_kinds) {
        int kind = __pthread_kind(m);
        if (kind && __pthread_owns(m)) {
            if (kind == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
            m->__depth++;
            return 0;
        }
        __litmus_acquire(&m->__held);
        if (kind) {
            __atomic_store_n(&m->__owner, __litmus_self(), __ATOMIC_RELAXED);
            m->__depth = 1;
        }
        return 0;
    }
    __litmus_acquire(&m->__held);
    return 0;
}
static inline int pthread_mutex_trylock(pthread_mutex_t *m) {
    if (__litmus_kinds) {
        int kind = __pthread_kind(m);
        if (kind && __pthread_owns(m)) {
            if (kind == PTHREAD_MUTEX_ERRORCHECK) return EBUSY;
            m->__depth++;
            return 0;
        }
        if (!__litmus_try_acquire(&m->__held)) return EBUSY;
        if (kind) {
            __atomic_store_n(&m->__owner, __litmus_self(), __ATOMIC_RELAXED);
            m->__depth = 1;
        }
        return 0;
    }
    return __litmus_try_acquire(&m->__held) ? 0 : EBUSY;
}
static inline int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t) {
    return pthread_mutex_trylock(m) ? ETIMEDOUT : 0;
}
static inline int pthread_mutex_unlock(pthread_mutex_t *m) {
    if (__litmus_kinds && __pthread_kind(m)) {
        if (!__pthread_owns(m)) return EPERM;
        if (--m->__depth) return 0;
        __atomic_store_n(&m->__owner, 0, __ATOMIC_RELAXED);
    }
    __litmus_release(&m->__held);
    return 0;
}
static inline int pthread_mutex_destroy(pthread_mutex_t *m) { __litmus_destroy(&m->__held); return 0; }

typedef struct { int __held; } pthread_spinlock_t;
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
static inline int pthread_spin_init(pthread_spinlock_t *m, int shared) { m->__held = 0; return 0; }
static inline int pthread_spin_lock(pthread_spinlock_t *m) { __litmus_acquire(&m->__held); return 0; }
static inline int pthread_spin_trylock(pthread_spinlock_t *m) { return __litmus_try_acquire(&m->__held) ? 0 : EBUSY; }
static inline int pthread_spin_unlock(pthread_spinlock_t *m) { __litmus_release(&m->__held); return 0; }
static inline int pthread_spin_destroy(pthread_spinlock_t *m) { __litmus_destroy(&m->__held); return 0; }

/* Who waits has set the bit of its number; a signal clears the bit of one of those who wait, whichever, a broadcast those of all. */
typedef struct __litmus_cond { unsigned long __waiting; } pthread_cond_t;
typedef int pthread_condattr_t;
#define PTHREAD_COND_INITIALIZER {0}
static inline int pthread_condattr_init(pthread_condattr_t *a) { return 0; }
static inline int pthread_condattr_destroy(pthread_condattr_t *a) { return 0; }
static inline int pthread_condattr_setclock(pthread_condattr_t *a, clockid_t clock) { return 0; }
static inline int pthread_condattr_setpshared(pthread_condattr_t *a, int shared) { return 0; }
static inline int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a) { c->__waiting = 0; return 0; }
static inline int pthread_cond_destroy(pthread_cond_t *c) { return 0; }
/* Until it is woken, or cancelled: it ends with the mutex taken, as its cleanup wants it. */
static inline int __pthread_cond_wait_or_end(pthread_cond_t *c, pthread_mutex_t *m, unsigned long me) {
    int waits = 1, cancelled = 0;
    while (waits && !cancelled) {
        waits = !!(__atomic_load_n(&c->__waiting, __ATOMIC_ACQUIRE) & me);
        cancelled = __atomic_load_n(&__litmus_cancelled[__litmus_self() & 63], __ATOMIC_ACQUIRE);
    }
    int result = pthread_mutex_lock(m);
    if (cancelled) {
        __atomic_fetch_and(&c->__waiting, ~me, __ATOMIC_RELAXED);
        __litmus_testcancel();
    }
    return result;
}
static inline int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    unsigned long me = 1ul << __litmus_self();
    __atomic_fetch_or(&c->__waiting, me, __ATOMIC_RELAXED);
    pthread_mutex_unlock(m);
    if (__litmus_calls("pthread_cancel")) {
        if (__litmus_cancel_state == PTHREAD_CANCEL_ENABLE) return __pthread_cond_wait_or_end(c, m, me);
    }
    __litmus_await(!(__atomic_load_n(&c->__waiting, __ATOMIC_ACQUIRE) & me));
    return pthread_mutex_lock(m);
}
/* The time may be up at once. */
static inline int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t) {
    __litmus_testcancel();
    unsigned long me = 1ul << __litmus_self();
    __atomic_fetch_or(&c->__waiting, me, __ATOMIC_RELAXED);
    pthread_mutex_unlock(m);
    int late = !!(__atomic_fetch_and(&c->__waiting, ~me, __ATOMIC_ACQUIRE) & me);
    pthread_mutex_lock(m);
    return late ? ETIMEDOUT : 0;
}
static inline int pthread_cond_signal(pthread_cond_t *c) {
    unsigned long all = __atomic_load_n(&c->__waiting, __ATOMIC_RELAXED);
    if (all) {
        unsigned long left = all;
        while (left & (left - 1)) {
            if (__litmus_nondet(0, 1)) break;
            left &= left - 1;
        }
        unsigned long one = left & -left;
        __litmus_await(__atomic_compare_exchange_n(&c->__waiting, &all, all & ~one, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    }
    return 0;
}
static inline int pthread_cond_broadcast(pthread_cond_t *c) {
    unsigned long all = __atomic_load_n(&c->__waiting, __ATOMIC_RELAXED);
    if (all) __litmus_await(__atomic_compare_exchange_n(&c->__waiting, &all, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    return 0;
}

/* Readers count up from 0, a writer sets -1. */
typedef struct __litmus_rwlock { int __count; } pthread_rwlock_t;
typedef int pthread_rwlockattr_t;
#define PTHREAD_RWLOCK_INITIALIZER {0}
static inline int pthread_rwlockattr_init(pthread_rwlockattr_t *a) { return 0; }
static inline int pthread_rwlockattr_destroy(pthread_rwlockattr_t *a) { return 0; }
static inline int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *a, int *shared) { *shared = PTHREAD_PROCESS_PRIVATE; return 0; }
static inline int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *a, int shared) { return 0; }
static inline int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a) { l->__count = 0; return 0; }
static inline int pthread_rwlock_destroy(pthread_rwlock_t *l) { return 0; }
static inline int pthread_rwlock_rdlock(pthread_rwlock_t *l) {
    int old = __atomic_load_n(&l->__count, __ATOMIC_RELAXED);
    __litmus_await(old >= 0);
    __litmus_await(__atomic_compare_exchange_n(&l->__count, &old, old + 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return 0;
}
static inline int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) {
    int old = __atomic_load_n(&l->__count, __ATOMIC_RELAXED);
    if (old < 0) return EBUSY;
    __litmus_await(__atomic_compare_exchange_n(&l->__count, &old, old + 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return 0;
}
static inline int pthread_rwlock_trywrlock(pthread_rwlock_t *l) {
    int free = 0;
    return __atomic_compare_exchange_n(&l->__count, &free, -1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE) ? 0 : EBUSY;
}
static inline int pthread_rwlock_wrlock(pthread_rwlock_t *l) {
    int free = 0;
    __litmus_await(__atomic_compare_exchange_n(&l->__count, &free, -1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return 0;
}
static inline int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *t) {
    return pthread_rwlock_tryrdlock(l) ? ETIMEDOUT : 0;
}
static inline int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *t) {
    return pthread_rwlock_trywrlock(l) ? ETIMEDOUT : 0;
}
static inline int pthread_rwlock_unlock(pthread_rwlock_t *l) {
    int old = __atomic_load_n(&l->__count, __ATOMIC_RELAXED);
    __litmus_lock_error(old != 0, "a reader-writer lock is given back that nobody holds");
    if (old < 0)
        __atomic_store_n(&l->__count, 0, __ATOMIC_RELEASE);
    else
        __atomic_fetch_sub(&l->__count, 1, __ATOMIC_RELEASE);
    return 0;
}

typedef struct { int __arrived; int __count; } pthread_barrier_t;
typedef int pthread_barrierattr_t;
static inline int pthread_barrierattr_init(pthread_barrierattr_t *a) { return 0; }
static inline int pthread_barrierattr_destroy(pthread_barrierattr_t *a) { return 0; }
static inline int pthread_barrierattr_setpshared(pthread_barrierattr_t *a, int shared) { return 0; }
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
static inline int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned n) {
    if (!n) return EINVAL;
    __litmus_lock_error(__litmus_peek(&b->__count) <= 0, "a barrier is made a second time");
    b->__arrived = 0;
    b->__count = n;
    return 0;
}
static inline int pthread_barrier_destroy(pthread_barrier_t *b) {
    __litmus_lock_error(b->__count > 0, "a barrier is destroyed that was never made");
    b->__count = 0;
    return 0;
}
/* How many have arrived in all, times 8192, and who was the last; 4096 more once one of this round has been chosen to be told so.
   Nobody sees in which order threads arrive: each set of threads arrives in one order, that of their numbers. Whom it tells is any of them. */
static inline int __pthread_barrier(pthread_barrier_t *b, int tells) {
    int count = b->__count;
    __litmus_lock_error(count > 0, "a barrier is used before it was made, or after it was destroyed");
    int me = __litmus_self();
    int old = __atomic_load_n(&b->__arrived, __ATOMIC_ACQUIRE);
    int before = old / 8192;
    int first = before % count == 0;
    int last = before / count * count + count;
    __VERIFIER_assume(first || old % 4096 < me);
    int told = first ? 0 : old / 4096 % 2;
    int chosen = 0;
    if (tells && !told) {
        if (before + 1 == last) chosen = 1;
        else chosen = __litmus_nondet(0, 1);
    }
    int new = (before + 1) * 8192 + (told || chosen) * 4096 + me;
    __litmus_await(__atomic_compare_exchange_n(&b->__arrived, &old, new, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    int now = __atomic_load_n(&b->__arrived, __ATOMIC_ACQUIRE) / 8192;
    __VERIFIER_assume(now <= last);
    __litmus_await(now == last);
    return chosen ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
static inline int pthread_barrier_wait(pthread_barrier_t *b) { return __pthread_barrier(b, 1); }
/* Where a program does not look at what the function gives, this one is called. */
static inline int __discarded_pthread_barrier_wait(pthread_barrier_t *b) { return __pthread_barrier(b, 0); }

/* 0: not yet, 1: at it, 2: done. */
typedef int pthread_once_t;
#define PTHREAD_ONCE_INIT 0
static inline int pthread_once(pthread_once_t *o, void (*f)(void)) {
    int fresh = 0;
    if (__atomic_compare_exchange_n(o, &fresh, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        f();
        __atomic_store_n(o, 2, __ATOMIC_RELEASE);
    } else {
        __litmus_await(__atomic_load_n(o, __ATOMIC_ACQUIRE) == 2);
    }
    return 0;
}

/* Values of keys. */
#define PTHREAD_KEYS_MAX 8
#define PTHREAD_DESTRUCTOR_ITERATIONS 4
typedef unsigned pthread_key_t;
static int __pthread_keys;
static void (*__pthread_destructors[PTHREAD_KEYS_MAX])(void *);
static _Thread_local void *__pthread_values[PTHREAD_KEYS_MAX];
static inline int pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) {
    int n = __atomic_fetch_add(&__pthread_keys, 1, __ATOMIC_RELAXED);
    if (n >= PTHREAD_KEYS_MAX) return EAGAIN;
    if (destroy) __atomic_store_n(&__pthread_destructors[n], destroy, __ATOMIC_RELEASE);
    *key = n;
    return 0;
}
static inline int pthread_key_delete(pthread_key_t key) {
    __atomic_store_n(&__pthread_destructors[key], 0, __ATOMIC_RELAXED);
    return 0;
}
/* What a thread does at its end, where a program calls pthread_setspecific. A destructor may set values again. Written out, so that no bound on loops cuts it. */
static inline int __pthread_finish_key(int key) {
    void *value = __pthread_values[key];
    if (!value) return 0;
    void (*destroy)(void *) = __atomic_load_n(&__pthread_destructors[key], __ATOMIC_ACQUIRE);
    __pthread_values[key] = 0;
    if (!destroy) return 0;
    destroy(value);
    return 1;
}
static inline void __pthread_finish(void) {
    int round = 0, some;
    do {
        some = __pthread_finish_key(0) | __pthread_finish_key(1) | __pthread_finish_key(2) | __pthread_finish_key(3)
             | __pthread_finish_key(4) | __pthread_finish_key(5) | __pthread_finish_key(6) | __pthread_finish_key(7);
    } while (some && ++round < PTHREAD_DESTRUCTOR_ITERATIONS);
}
static inline void *pthread_getspecific(pthread_key_t key) { return __pthread_values[key]; }
static inline int pthread_setspecific(pthread_key_t key, const void *value) {
    __pthread_values[key] = (void *)value;
    return 0;
}
/* What is to be done at the end is done where the program says so, or where the thread ends in between. */
#define pthread_cleanup_push(f, value) do { struct __pthread_cleanup __cleanup = { (f), (value), __pthread_cleanups }; __pthread_push(&__cleanup);
#define pthread_cleanup_pop(run) __pthread_cleanups = __cleanup.__before; if (run) __cleanup.__function(__cleanup.__value); } while (0)
static inline int pthread_yield(void) { return 0; }
