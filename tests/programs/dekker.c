#include "fences.h"
int flag0, flag1, turn, x;
void *first(void *arg) {
    flag0 = 1;
    tso();
    while (flag1) {
        if (turn != 0) {
            flag0 = 0;
            assume(turn == 0);
            flag0 = 1;
            tso();
        }
    }
    x = 0;
    assert(x == 0);
    pso();
    turn = 1;
    flag0 = 0;
    return 0;
}
void *second(void *arg) {
    flag1 = 1;
    tso();
    while (flag0) {
        if (turn != 1) {
            flag1 = 0;
            assume(turn == 1);
            flag1 = 1;
            tso();
        }
    }
    x = 1;
    assert(x == 1);
    pso();
    turn = 0;
    flag1 = 0;
    return 0;
}
RUN(first, second)
