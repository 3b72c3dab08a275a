/*
 * An empty program. The size of a whole firmware is measured as the growth over it.
 */
int main(void) { return 0; }
