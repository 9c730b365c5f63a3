/* As pgsql, with N rounds, in each of which a worker looks at its latch so often and gives up then. */
#include "fences.h"
int latch0 = 1, flag0 = 1, latch1, flag1;
#define WORKER(name, latch, flag, other_latch, other_flag)                                                             \
    void *name(void *arg) {                                                                                            \
        for (int round = 0; round < N; round++) {                                                                      \
            int looks = 0;                                                                                             \
            while (!latch && looks++ < N) ;                                                                            \
            if (!latch) return 0;                                                                                      \
            assert(!latch || flag);                                                                                    \
            latch = 0;                                                                                                 \
            if (flag) {                                                                                                \
                flag = 0;                                                                                              \
                other_flag = 1;                                                                                        \
                pso();                                                                                                 \
                other_latch = 1;                                                                                       \
            }                                                                                                          \
        }                                                                                                              \
        return 0;                                                                                                      \
    }
WORKER(first, latch0, flag0, latch1, flag1)
WORKER(second, latch1, flag1, latch0, flag0)
RUN(first, second)
