/* A stack of linked nodes: a push swings the top by compare-exchange. BROKEN publishes a node before its value is seen. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef BROKEN
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

struct node {
    int value;
    struct node *next;
};

_Atomic(struct node *) top;

void *pusher(void *arg) {
    struct node *n = malloc(sizeof *n);
    n->value = (int)(long)arg;
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    do
        n->next = old;
    while (!atomic_compare_exchange_strong_explicit(&top, &old, n, PUBLISH, memory_order_relaxed));
    return 0;
}

void *popper(void *arg) {
    struct node *old = atomic_load_explicit(&top, memory_order_acquire);
    while (old && !atomic_compare_exchange_strong_explicit(&top, &old, old->next, memory_order_acquire, memory_order_acquire))
        ;
    if (old) assert(old->value == 1 || old->value == 2);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, pusher, (void *)1);
    pthread_create(&b, 0, pusher, (void *)2);
    pthread_create(&c, 0, popper, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
