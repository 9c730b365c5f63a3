/* What is left to do when a thread ends, the last first. */
struct __pthread_cleanup { void (*__function)(void *); void *__value; struct __pthread_cleanup *__before; };
static _Thread_local struct __pthread_cleanup *__pthread_cleanups;
static inline void __pthread_push(struct __pthread_cleanup *c) { __pthread_cleanups = c; }
static inline void __pthread_unwind(void) {
    if (__litmus_calls("__pthread_push")) {
        while (__pthread_cleanups) {
            struct __pthread_cleanup *last = __pthread_cleanups;
            __pthread_cleanups = last->__before;
            last->__function(last->__value);
        }
    }
}
/* A thread that is cancelled ends where it may be: at calls that wait. Threads are asked by their number. */
#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
#define PTHREAD_CANCELED ((void *)-1)
static int __litmus_cancelled[64];
static _Thread_local int __litmus_cancel_state;
/* Where it would be cancelled anywhere, nobody knows what it has done by then. */
void __pthread_cancelled_at_once(void);
static inline void __litmus_testcancel(void) {
    if (__litmus_calls("pthread_cancel")) {
        if (__litmus_cancel_state == PTHREAD_CANCEL_ENABLE
            && __atomic_load_n(&__litmus_cancelled[__litmus_self() & 63], __ATOMIC_SEQ_CST)) {
            __litmus_cancel_state = PTHREAD_CANCEL_DISABLE;
            __pthread_unwind();
            __litmus_exit(PTHREAD_CANCELED);
        }
    }
}
