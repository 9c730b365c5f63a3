/* N threads, each handing x on from the number before its own. Nobody waits: most exchanges fail. */
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 6
#endif
atomic_int x;
void *hand_on(void *arg) {
    int own = (int)(long)arg;
    int last = own - 1;
    atomic_compare_exchange_strong_explicit(&x, &last, own, memory_order_relaxed, memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_t t;
    for (int i = 1; i <= N; i++) pthread_create(&t, 0, hand_on, (void *)(long)i);
    return 0;
}
