#include <stddef.h>
typedef struct { int __file; } FILE;
static FILE *stdin, *stdout, *stderr;
#define EOF (-1)
#define printf(...) __litmus_print(__VA_ARGS__)
#define fprintf(f, ...) __litmus_print(__VA_ARGS__)
#define puts(s) __litmus_print(s)
#define putchar(c) __litmus_print(c)
#define perror(s) ((void)__litmus_print(s))
#define fflush(f) 0
#define fputs(s, f) __litmus_print(s)
#define putc(c, f) __litmus_print(c)
#define fputc(c, f) __litmus_print(c)
#define vprintf(format, list) ((void)(list), 0)
#define vfprintf(f, format, list) ((void)(list), 0)
#define setbuf(f, buffer) ((void)0)
#define setvbuf(f, buffer, mode, n) 0
#define _IONBF 2
