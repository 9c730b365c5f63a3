/* A hazard pointer: the reader says what it is about to use, and looks again; the remover frees only what nobody uses. BROKEN does not look again. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Atomic(int *) shared, hazard;

void *reader(void *arg) {
    int *p = atomic_load(&shared);
    if (!p) return 0;
    atomic_store(&hazard, p);
#ifndef BROKEN
    if (atomic_load(&shared) != p) return 0;
#endif
    assert(*p == 42);
    atomic_store(&hazard, 0);
    return 0;
}

void *remover(void *arg) {
    int *p = atomic_exchange(&shared, 0);
    if (atomic_load(&hazard) != p) free(p);
    return 0;
}

int main(void) {
    pthread_t a, b;
    int *p = malloc(sizeof *p);
    *p = 42;
    atomic_store(&shared, p);
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, remover, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
