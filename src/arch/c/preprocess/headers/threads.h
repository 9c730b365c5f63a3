#include <pthread.h>
enum { thrd_success = 0, thrd_busy = 1, thrd_error = 2, thrd_nomem = 3, thrd_timedout = 4 };
enum { mtx_plain = 0, mtx_recursive = 1, mtx_timed = 2 };
typedef pthread_t thrd_t;
typedef int (*thrd_start_t)(void *);
typedef pthread_mutex_t mtx_t;
typedef pthread_cond_t cnd_t;
typedef pthread_once_t once_flag;
#define ONCE_FLAG_INIT {0}
#define thread_local _Thread_local
#define thrd_create(t, f, arg) (__litmus_spawn(t, f, (void *)(arg)), thrd_success)
static inline int thrd_join(thrd_t t, int *result) {
    int value = (int)(long)__litmus_join(t);
    if (result) *result = value;
    return thrd_success;
}
#define thrd_exit(n) __litmus_exit((void *)(long)(n))
#define thrd_current() __litmus_self()
#define thrd_equal(a, b) ((a) == (b))
#define thrd_yield() ((void)0)
/* No time passes. */
static inline int thrd_sleep(const struct timespec *t, struct timespec *left) { return 0; }
static inline int thrd_detach(thrd_t t) { return thrd_success; }
static inline int mtx_init(mtx_t *m, int kind) {
    int recursive = kind & mtx_recursive;
    return pthread_mutex_init(m, &recursive);
}
static inline int mtx_lock(mtx_t *m) { return pthread_mutex_lock(m); }
static inline int mtx_trylock(mtx_t *m) { return pthread_mutex_trylock(m) ? thrd_busy : thrd_success; }
static inline int mtx_timedlock(mtx_t *m, const struct timespec *t) { return pthread_mutex_trylock(m) ? thrd_timedout : thrd_success; }
static inline int mtx_unlock(mtx_t *m) { return pthread_mutex_unlock(m); }
static inline void mtx_destroy(mtx_t *m) { pthread_mutex_destroy(m); }
static inline int cnd_init(cnd_t *c) { return pthread_cond_init(c, 0); }
static inline int cnd_wait(cnd_t *c, mtx_t *m) { return pthread_cond_wait(c, m); }
static inline int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *t) { return pthread_cond_timedwait(c, m, t) ? thrd_timedout : thrd_success; }
static inline int cnd_signal(cnd_t *c) { return pthread_cond_signal(c); }
static inline int cnd_broadcast(cnd_t *c) { return pthread_cond_broadcast(c); }
static inline void cnd_destroy(cnd_t *c) { }
#define TSS_DTOR_ITERATIONS PTHREAD_DESTRUCTOR_ITERATIONS
typedef pthread_key_t tss_t;
typedef void (*tss_dtor_t)(void *);
static inline int tss_create(tss_t *key, tss_dtor_t destroy) { return pthread_key_create(key, destroy); }
static inline void *tss_get(tss_t key) { return pthread_getspecific(key); }
static inline int tss_set(tss_t key, void *value) { return pthread_setspecific(key, value); }
static inline void tss_delete(tss_t key) { }
static inline void call_once(once_flag *o, void (*f)(void)) { pthread_once(o, f); }
