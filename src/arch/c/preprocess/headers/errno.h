#define EPERM 1
#define EINTR 4
#define EAGAIN 11
#define EBUSY 16
#define EINVAL 22
#define EDEADLK 35
#define ETIMEDOUT 110
static _Thread_local int errno;
