// expect: unsafe threads=1
// property: leak
// about: nobody keeps the result, and the program never ends
// lines: 9
#include <stdlib.h>

int main(void)
{
    malloc(4);
    for (;;)
        ;
}
