/* Two threads add to each other's number; N rounds each. LIMIT is the largest sum that can be seen. */
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 5
#endif
int i = 1, j = 1;
void *first(void *arg) {
    for (int k = 0; k < N; k++) i += j;
    return 0;
}
void *second(void *arg) {
    for (int k = 0; k < N; k++) j += i;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
#ifdef JOIN
    pthread_join(a, 0);
    pthread_join(b, 0);
#endif
    assert(i <= LIMIT);
    assert(j <= LIMIT);
    return 0;
}
