/* AES-256 in counter mode, a byte at a time: write key and counter, call reset. */
class AES {

	private:

		unsigned char keys[240];
		unsigned char stream[16];
		unsigned char used;

		unsigned char next();

	public:

		unsigned char key[32];
		unsigned char counter[16];

		void reset();
		void process(unsigned char* buffer);
};
