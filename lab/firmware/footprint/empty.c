/*
 * The program that does nothing: a whole firmware is weighed as the growth over it.
 */
int main(void) { return 0; }
