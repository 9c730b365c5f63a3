#include "fences.h"
int flag0, flag1, turn, x;
#define THREAD(name, mine, other, me, you)                                                                             \
    void *name(void *arg) {                                                                                            \
        mine = 1;                                                                                                      \
        tso();                                                                                                         \
        while (other) {                                                                                                \
            if (turn != me) {                                                                                          \
                mine = 0;                                                                                              \
                assume(turn == me);                                                                                    \
                mine = 1;                                                                                              \
                tso();                                                                                                 \
            }                                                                                                          \
        }                                                                                                              \
        x = me;                                                                                                        \
        assert(x == me);                                                                                               \
        pso();                                                                                                         \
        turn = you;                                                                                                    \
        mine = 0;                                                                                                      \
        return 0;                                                                                                      \
    }
THREAD(first, flag0, flag1, 0, 1)
THREAD(second, flag1, flag0, 1, 0)
RUN(first, second)
