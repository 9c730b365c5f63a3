/* Each argument beyond the parameters has eight bytes. */
typedef char *va_list;
#define va_start(list, last) ((void)((list) = __litmus_varargs()))
#define va_arg(list, type) (*(type *)(((list) += 8) - 8))
#define va_copy(to, from) ((void)((to) = (from)))
#define va_end(list) ((void)(list))
#define __builtin_va_list va_list
#define __builtin_va_start(list, last) va_start(list, last)
#define __builtin_va_arg(list, type) va_arg(list, type)
#define __builtin_va_copy(to, from) va_copy(to, from)
#define __builtin_va_end(list) va_end(list)
