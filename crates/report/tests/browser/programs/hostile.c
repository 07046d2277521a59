// </script><script>document.title = "owned"</script> <!-- ]]> <img src=x onerror="document.title = 'owned'">
#include <assert.h>

/* A comment with "quotes", 'quotes', `ticks`, &amp; &lt;b&gt; and ]]> in it */
static const char *text = "</script><script>document.title = 'owned'</script><!--<script>";

int main(void)
{
    int x = text[0] == '<';
    assert(x == 0 && "</script><script>document.title = 'owned'</script>" && ']' != '"');
    return 0;
}
