/* Read, copy, update: the old version is freed once no reader can have it. BROKEN does not wait for readers. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct version {
    int a, b;
};

_Atomic(struct version *) current;
/* 1 while the reader is inside. */
atomic_int reading;

void *reader(void *arg) {
    atomic_store(&reading, 1);
    struct version *v = atomic_load(&current);
    assert(v->a == v->b);
    atomic_store(&reading, 0);
    return 0;
}

void *updater(void *arg) {
    struct version *old = atomic_load(&current), *new = malloc(sizeof *new);
    new->a = old->a + 1;
    new->b = old->b + 1;
    atomic_store(&current, new);
#ifndef BROKEN
    while (atomic_load(&reading))
        ;
#endif
    free(old);
    return 0;
}

int main(void) {
    pthread_t a, b;
    struct version *first = malloc(sizeof *first);
    first->a = first->b = 1;
    atomic_store(&current, first);
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, updater, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
