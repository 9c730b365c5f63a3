#define EPERM 1
#define EINTR 4
#define ESRCH 3
#define EAGAIN 11
#define EWOULDBLOCK 11
#define ENOMEM 12
#define EBUSY 16
#define EINVAL 22
#define EFAULT 14
#define ENOENT 2
#define ERANGE 34
#define EOWNERDEAD 130
#define EDEADLK 35
#define ETIMEDOUT 110
static _Thread_local int errno;
/* A macro: a function would have the address of errno taken in every program. */
#define __errno_location() (&errno)
