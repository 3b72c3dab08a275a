/*
 * What field.py calls on the simulated chip: all of X25519, and nothing runs by itself.
 * The linker keeps everything because nothing asks it to drop what is not called.
 */
int main(void)
{
    return 0;
}
