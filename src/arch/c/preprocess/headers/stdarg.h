/* Each argument beyond the parameters has eight bytes. */
typedef char *va_list;
#define va_start(list, last) ((void)((list) = __litmus_varargs()))
#define va_arg(list, type) (*(type *)(((list) += 8) - 8))
#define va_copy(to, from) ((void)((to) = (from)))
#define va_end(list) ((void)(list))
