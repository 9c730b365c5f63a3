#include "fences.h"
int flag0, flag1, x;
#define THREAD(name, mine, other, me)                                                                                  \
    void *name(void *arg) {                                                                                            \
        mine = 1;                                                                                                      \
        tso();                                                                                                         \
        assume(other < 3);                                                                                             \
        mine = 3;                                                                                                      \
        tso();                                                                                                         \
        if (other == 1) {                                                                                              \
            mine = 2;                                                                                                  \
            tso();                                                                                                     \
            assume(other == 4);                                                                                        \
        }                                                                                                              \
        mine = 4;                                                                                                      \
        tso();                                                                                                         \
        assume(other < 2);                                                                                             \
        x = me;                                                                                                        \
        assert(x == me);                                                                                               \
        pso();                                                                                                         \
        int seen = other;                                                                                              \
        assume(seen < 2 || seen > 3);                                                                                  \
        mine = 0;                                                                                                      \
        return 0;                                                                                                      \
    }
THREAD(first, flag0, flag1, 0)
THREAD(second, flag1, flag0, 1)
RUN(first, second)
