/* One thread pushes, the other pops; a lock of two words. UNSAFE: the second thread goes by a flag that is never taken back. */
#include "fences.h"
#ifndef SIZE
#define SIZE 5
#endif
int top, ready, lock0, lock1;
#define LOCK(mine, other) mine = 1; __sync_synchronize(); assume(other == 0)
#define UNLOCK(mine) __sync_synchronize(); mine = 0
void *first(void *arg) {
    for (int i = 0; i < SIZE; i++) {
        LOCK(lock0, lock1);
        assert(top < SIZE);
        top = top + 1;
        ready = 1;
        UNLOCK(lock0);
    }
    return 0;
}
void *second(void *arg) {
    for (int i = 0; i < SIZE; i++) {
        LOCK(lock1, lock0);
#ifdef UNSAFE
        if (ready) {
#else
        if (top > 0) {
#endif
            assert(top > 0);
            top = top - 1;
        }
        UNLOCK(lock1);
    }
    return 0;
}
RUN(first, second)
