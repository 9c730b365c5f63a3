/* The queue of Michael and Scott: a dummy node in front, a tail that others help on. BROKEN links a node before its value is seen. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef BROKEN
#define LINK memory_order_relaxed
#else
#define LINK memory_order_release
#endif

struct node {
    int value;
    _Atomic(struct node *) next;
};

_Atomic(struct node *) head, tail;

struct node *node(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    atomic_init(&n->next, 0);
    return n;
}

void *put(void *arg) {
    struct node *n = node((int)(long)arg);
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
        if (next) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&last->next, &next, n, LINK, memory_order_relaxed)) {
            atomic_compare_exchange_strong_explicit(&tail, &last, n, LINK, memory_order_relaxed);
            return 0;
        }
    }
}

void *get(void *arg) {
    struct node *first = atomic_load_explicit(&head, memory_order_acquire);
    struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
    if (next && atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_acq_rel, memory_order_relaxed))
        assert(next->value == 1 || next->value == 2);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    struct node *dummy = node(0);
    atomic_init(&head, dummy);
    atomic_init(&tail, dummy);
    pthread_create(&a, 0, put, (void *)1);
    pthread_create(&b, 0, put, (void *)2);
    pthread_create(&c, 0, get, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
