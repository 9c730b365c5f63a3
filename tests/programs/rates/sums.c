/* Two threads add to each other's number, N times each; a third one looks. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 5
#endif
atomic_int x = 1, y = 1;
#define load(p) atomic_load_explicit(p, memory_order_acquire)
#define store(p, v) atomic_store_explicit(p, v, memory_order_release)
void *left(void *arg) {
    for (int k = 0; k < N; k++) store(&x, load(&x) + load(&y));
    return 0;
}
void *right(void *arg) {
    for (int k = 0; k < N; k++) store(&y, load(&x) + load(&y));
    return 0;
}
void *looks(void *arg) {
    if (load(&x) > 144 || load(&y) > 144) assert(0);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, left, 0);
    pthread_create(&t, 0, right, 0);
    pthread_create(&t, 0, looks, 0);
    return 0;
}
