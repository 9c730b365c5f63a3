/* THREADS threads take a lock TIMES times each. An exchange lock; TTAS: one that looks before it tries; TICKET: one with tickets. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef THREADS
#define THREADS 3
#endif
#ifndef TIMES
#define TIMES 1
#endif
atomic_int word, next;
int x;
#define load(p) atomic_load_explicit(p, memory_order_acquire)
void lock(void) {
#if defined TICKET
    int own = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (load(&word) != own) {
    }
#elif defined TTAS
    do {
        while (load(&word) != 0) {
        }
    } while (atomic_exchange_explicit(&word, 1, memory_order_acquire) != 0);
#else
    while (atomic_exchange_explicit(&word, 1, memory_order_acquire) != 0) {
    }
#endif
}
void unlock(void) {
#if defined TICKET
    atomic_store_explicit(&word, atomic_load_explicit(&word, memory_order_relaxed) + 1, memory_order_release);
#else
    atomic_store_explicit(&word, 0, memory_order_release);
#endif
}
void *use(void *arg) {
    for (int k = 0; k < TIMES; k++) {
        lock();
        int own = (int)(long)arg;
        x = own;
        assert(x == own);
        unlock();
    }
    return 0;
}
int main(void) {
    pthread_t t;
    for (long i = 1; i <= THREADS; i++) pthread_create(&t, 0, use, (void *)i);
    return 0;
}
