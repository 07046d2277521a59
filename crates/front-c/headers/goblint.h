/* The functions that Goblint's programs call. */
#ifndef SELVEDGE_GOBLINT_H
#define SELVEDGE_GOBLINT_H
void __goblint_check(int condition);
void __goblint_assert(int condition);
void __goblint_assume(int condition);
void __goblint_assume_join();
void __goblint_split_begin(int condition);
void __goblint_split_end(int condition);
#endif
