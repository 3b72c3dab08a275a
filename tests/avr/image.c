/*
 * The functions that field.py calls on the simulated chip: all of X25519. Nothing runs by itself. The
 * linker keeps everything, because it is not told to drop unused functions.
 */
int main(void)
{
    return 0;
}
