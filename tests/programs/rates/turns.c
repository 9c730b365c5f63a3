/* Peterson's lock with release and acquire only, ROUNDS times each: it does not exclude, and nothing is asserted. */
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_assume(int);
#ifndef ROUNDS
#define ROUNDS 2
#endif
atomic_int wants[2], turn, x;
#define load(p) atomic_load_explicit(p, memory_order_acquire)
#define store(p, v) atomic_store_explicit(p, v, memory_order_release)
void *enter(void *arg) {
    int own = (int)(long)arg;
    for (int k = 0; k < ROUNDS; k++) {
        store(&wants[own], 1);
        store(&turn, 1 - own);
        __VERIFIER_assume(load(&wants[1 - own]) != 1 || load(&turn) == own);
        store(&x, own);
        load(&x);
        store(&wants[own], 0);
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, enter, (void *)0);
    pthread_create(&b, 0, enter, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
