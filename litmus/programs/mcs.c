/* The queue lock of Mellor-Crummey and Scott: each waits on a node of its own. BROKEN hands the lock on before the work is seen. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BROKEN
#define HAND memory_order_relaxed
#else
#define HAND memory_order_release
#endif

#ifndef N
#define N 2
#endif

struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
};

_Atomic(struct node *) tail;
struct node nodes[N];
int count;

void lock(struct node *me) {
    atomic_store_explicit(&me->next, 0, memory_order_relaxed);
    atomic_store_explicit(&me->waits, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
    if (before) {
        atomic_store_explicit(&before->next, me, memory_order_release);
        while (atomic_load_explicit(&me->waits, memory_order_acquire))
            ;
    }
}

void unlock(struct node *me) {
    struct node *after = atomic_load_explicit(&me->next, memory_order_acquire);
    if (!after) {
        struct node *last = me;
        if (atomic_compare_exchange_strong_explicit(&tail, &last, 0, memory_order_release, memory_order_relaxed)) return;
        while (!(after = atomic_load_explicit(&me->next, memory_order_acquire)))
            ;
    }
    atomic_store_explicit(&after->waits, 0, HAND);
}

void *thread(void *arg) {
    struct node *me = &nodes[(long)arg];
    lock(me);
    count++;
    unlock(me);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++) pthread_create(&threads[i], 0, thread, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    assert(count == N);
    return 0;
}
