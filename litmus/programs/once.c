/* Double-checked locking: who finds the pointer set takes no lock. BROKEN sets and reads it without an order. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef BROKEN
#define SET memory_order_relaxed
#define GET memory_order_relaxed
#else
#define SET memory_order_release
#define GET memory_order_acquire
#endif

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Atomic(int *) instance;
atomic_int made;

int *get(void) {
    int *p = atomic_load_explicit(&instance, GET);
    if (p) return p;
    pthread_mutex_lock(&lock);
    p = atomic_load_explicit(&instance, memory_order_relaxed);
    if (!p) {
        p = malloc(sizeof *p);
        *p = 42;
        atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
        atomic_store_explicit(&instance, p, SET);
    }
    pthread_mutex_unlock(&lock);
    return p;
}

void *thread(void *arg) {
    int *p = get();
    assert(*p == 42);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, thread, 0);
    pthread_create(&b, 0, thread, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(made == 1);
    return 0;
}
