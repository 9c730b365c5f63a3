#include "fences.h"
int flag0, flag1, turn, x;
void *first(void *arg) {
    flag0 = 1;
    pso();
    turn = 1;
    tso();
    assume(flag1 != 1 || turn != 1);
    x = 0;
    assert(x == 0);
    pso();
    flag0 = 0;
    return 0;
}
void *second(void *arg) {
    flag1 = 1;
    pso();
    turn = 0;
    tso();
    assume(flag0 != 1 || turn != 0);
    x = 1;
    assert(x == 1);
    pso();
    flag1 = 0;
    return 0;
}
RUN(first, second)
