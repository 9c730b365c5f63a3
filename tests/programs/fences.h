/* Fences by the model that needs them: PSO needs those of TSO too. */
#include <assert.h>
#include <pthread.h>

void __VERIFIER_assume(int);

#ifdef PSO
#define TSO
#define pso() __sync_synchronize()
#else
#define pso()
#endif
#ifdef TSO
#define tso() __sync_synchronize()
#else
#define tso()
#endif
#define assume(e) __VERIFIER_assume(e)

#define RUN(f, g)                                                                                                      \
    int main(void) {                                                                                                   \
        pthread_t a, b;                                                                                                \
        pthread_create(&a, 0, f, 0);                                                                                   \
        pthread_create(&b, 0, g, 0);                                                                                   \
        pthread_join(a, 0);                                                                                            \
        pthread_join(b, 0);                                                                                            \
        return 0;                                                                                                      \
    }
