/* Selvedge's own <ctype.h>. */
#ifndef SELVEDGE_CTYPE_H
#define SELVEDGE_CTYPE_H
int isalnum(int);
int isalpha(int);
int isascii(int);
int isblank(int);
int iscntrl(int);
int isdigit(int);
int isgraph(int);
int islower(int);
int isprint(int);
int ispunct(int);
int isspace(int);
int isupper(int);
int isxdigit(int);
int tolower(int);
int toupper(int);
int toascii(int);
#endif
