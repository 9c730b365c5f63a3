/* Two threads write two cells each, three times in turn; two threads look at all four, LONG and SHORT times. */
#include <pthread.h>
#include <stdatomic.h>
#ifndef LONG
#define LONG 7
#endif
#ifndef SHORT
#define SHORT 3
#endif
atomic_int x, y, z, w;
#define look(k)                                                                                                        \
    ((k) % 4 == 0   ? atomic_load_explicit(&x, memory_order_acquire)                                                   \
     : (k) % 4 == 1 ? atomic_load_explicit(&y, memory_order_acquire)                                                   \
     : (k) % 4 == 2 ? atomic_load_explicit(&z, memory_order_acquire)                                                   \
                    : atomic_load_explicit(&w, memory_order_acquire))
void *looks_long(void *arg) {
    for (int k = 0; k < LONG; k++) look(k);
    return 0;
}
void *looks_short(void *arg) {
    for (int k = 0; k < SHORT; k++) look(k);
    return 0;
}
void *left(void *arg) {
    for (int k = 1; k <= 3; k++) {
        atomic_store_explicit(&x, k, memory_order_release);
        atomic_store_explicit(&y, k, memory_order_release);
    }
    return 0;
}
void *right(void *arg) {
    for (int k = 1; k <= 3; k++) {
        atomic_store_explicit(&z, k, memory_order_release);
        atomic_store_explicit(&w, k, memory_order_release);
    }
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, looks_long, 0);
    pthread_create(&t, 0, looks_short, 0);
    pthread_create(&t, 0, left, 0);
    pthread_create(&t, 0, right, 0);
    return 0;
}
