//! Tests of what is read from C and C++.

use super::*;

#[test]
fn a_macro_without_a_semicolon_hides_no_type() {
    let found = read(b"START(aes)\ntypedef struct { int n; } state;\nBEGIN\ntypedef int word;");
    assert!(found.typedefs.contains_key("state") && found.typedefs.contains_key("word"));
}

#[test]
fn types_that_typedef_names_are_read() {
    let text = "
        typedef unsigned char u8;
        typedef uint32_t un32, other;
        typedef u8 state_t[4][4];
        typedef struct { u8 b[16]; } block_t;
        typedef struct aes_key_st { unsigned int rd_key[60]; int rounds; } AES_KEY, *AES_PTR;
        typedef int (*random_fn)(u8 *, unsigned);
        struct plain { u8 x; };
        void f(block_t *b);
    ";
    let found = read(text.as_bytes());
    assert_eq!(found.typedefs["u8"].base, "unsigned char");
    assert_eq!(found.typedefs["un32"].base, "uint32_t");
    assert_eq!(found.typedefs["state_t"].pointers, 2);
    assert_eq!(found.typedefs["AES_KEY"].base, "aes_key_st");
    assert_eq!(found.typedefs["AES_PTR"].pointers, 1);
    assert_eq!(found.members["block_t"].len(), 1);
    assert_eq!(found.members["block_t"][0].array.as_deref(), Some("16"));
    assert_eq!(found.members["AES_KEY"].len(), 2);
    assert!(!found.typedefs.contains_key("random_fn"));
    assert_eq!(found.functions.len(), 1);
}

fn shown(text: &str) -> Vec<String> {
    let found = read(text.as_bytes());
    let shown = found.functions.iter().map(|function| {
        let parameters: Vec<String> = function
            .parameters
            .iter()
            .map(|p| {
                let array = p
                    .array
                    .as_ref()
                    .map(|a| format!("[{a}]"))
                    .unwrap_or_default();
                let constant = if p.is_const { "const " } else { "" };
                format!(
                    "{constant}{} {}{}{array}",
                    p.base,
                    "*".repeat(p.pointers),
                    p.name
                )
            })
            .collect();
        let class = function
            .class
            .as_ref()
            .map(|c| format!("{c}::"))
            .unwrap_or_default();
        let hidden = if function.hidden { "hidden " } else { "" };
        format!(
            "{hidden}{} {class}{}({})",
            function.result,
            function.name,
            parameters.join(", ")
        )
    });
    shown.collect()
}

#[test]
fn functions_of_c_are_read() {
    let text = "
        #define BLOCK 16 // bytes
        #define MIN(a, b) ((a) < (b) ? (a) : (b))
        #ifdef __cplusplus
        extern \"C\" {
        #endif
        typedef struct { uint8_t rk[176]; } ctx_t;
        /* void not_me(int); */
        void init(ctx_t *ctx, const uint8_t key[BLOCK]);
        static inline int hidden_one(void) { return f(1); }
        extern unsigned char *last(const unsigned char *in, unsigned char out[], size_t n) __attribute__((pure));
        #if 0
        void dead(int a);
        #endif
        int x = 3, table[2] = { 1, 2 };
        void after(struct big *b, uint8_t state[4][4], void (*call)(int));
        #ifdef __cplusplus
        }
        #endif
    ";
    assert_eq!(
        shown(text),
        [
            "void init(ctx_t *ctx, const uint8_t *key[BLOCK])",
            "hidden int hidden_one()",
            "unsigned char * last(const unsigned char *in, unsigned char *out, size_t n)",
            "void after(struct big *b, uint8_t **state[4], void *call)",
        ]
    );
    let found = read(text.as_bytes());
    assert_eq!(found.macros.get("BLOCK").map(String::as_str), Some("16"));
    assert!(!found.macros.contains_key("MIN"));
    assert_eq!(found.functions[0].line, 9);
}

#[test]
fn classes_of_cpp_are_read() {
    let text = "
        #include <Arduino.h>
        namespace crypto {
        class AES128 : public Cipher {
        public:
            AES128();
            virtual ~AES128();
            bool setKey(const uint8_t *key, size_t len = 16);
            void encryptBlock(uint8_t *output, const uint8_t *input) { run(output, input); }
            virtual int size() const = 0;
        private:
            void secret(uint8_t *);
            uint8_t schedule[176];
        };
        }
        void AES128::clear(byte n) { }
    ";
    assert_eq!(
        shown(text),
        [
            "bool AES128::setKey(const uint8_t *key, size_t len)",
            "bool AES128::setKey(const uint8_t *key)", // the size has a default
            "void AES128::encryptBlock(uint8_t *output, const uint8_t *input)",
            "int AES128::size()",
            "hidden void AES128::secret(uint8_t *)",
            "hidden void AES128::clear(byte n)",
        ]
    );
    let found = read(text.as_bytes());
    assert!(found.functions[3].is_pure);
    assert_eq!(found.classes["AES128"], ["Cipher"]);
    assert_eq!(found.includes, ["Arduino.h"]);
}

#[test]
fn branches_that_open_a_brace_each_do_not_lose_the_rest() {
    let text = "
        #ifdef A
        void f(int a) {
        #else
        void f(long a) {
        #endif
        }
        void g(int b);
    ";
    assert_eq!(
        shown(text).last().map(String::as_str),
        Some("void g(int b)")
    );
}

#[test]
fn of_conditional_macros_the_one_that_a_compiler_takes_counts() {
    let text = "
        #define AES128 1
        //#define AES256 1
        #ifndef CBC
          #define CBC 1
        #endif
        #if defined(AES256) && (AES256 == 1)
            #define KEYLEN 32
        #elif defined(AES192) && (AES192 == 1)
            #define KEYLEN 24
        #else
            #define KEYLEN 16   // Key length
        #endif
        #if !defined(CBC) || KEYLEN == 32
            #define ROUNDS 14
        #endif
        #if defined(AES128) && CBC
        void both(uint8_t *);
        #endif
    ";
    let found = read(text.as_bytes());
    let of = |name: &str| found.macros.get(name).map(String::as_str);
    assert_eq!(of("KEYLEN"), Some("16"));
    assert_eq!(of("CBC"), Some("1"));
    assert_eq!(of("ROUNDS"), Some("14"), "nothing better is known");
    assert_eq!(found.functions.len(), 1);
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..600)) {
        read(&bytes);
    }

    #[test]
    fn any_pieces_of_c_are_read(pieces in proptest::collection::vec(
        proptest::sample::select(vec![
            "void", "f", "(", ")", "{", "}", ";", ",", "[", "]", "*", "const", "class", "struct",
            "public", ":", "::", "=", "0", "#if", "#if 0", "#else", "#endif", "\n", "\"", "'", "/*",
            "*/", "//", "\\\n", "extern \"C\"", "#define", "#define X(", "typedef", "\u{e9}",
            "__attribute__", "operator", "namespace", "A", " ", "16",
        ]), 0..120)) {
        read(pieces.concat().as_bytes());
        read(pieces.join(" ").as_bytes());
    }
}

#[test]
fn references_and_defaults_are_read() {
    let text = "class A { public: A(const uint8_t (&key)[16], const uint8_t *iv = nullptr);\n\
        void f(const Block &in, unsigned &size); };";
    let found = read(text.as_bytes());
    let lengths: Vec<usize> = found
        .constructors
        .iter()
        .map(|of| of.parameters.len())
        .collect();
    assert_eq!(lengths, [2, 1]);
    let key = &found.constructors[0].parameters[0];
    assert!(key.is_reference && !key.is_odd, "{key:?}");
    assert_eq!(
        (key.name.as_str(), key.array.as_deref()),
        ("key", Some("16"))
    );
    let f = &found.functions[0].parameters;
    assert!(f.iter().all(|one| one.is_reference && !one.is_odd), "{f:?}");
}

#[test]
fn only_code_allocates() {
    let text = "/* 'new ' */\nuint8_t *a(void) { /* a new\n block */ return b; }\n\
        uint8_t *c(void) { // uses malloc\n    log(\"new \\\" malloc\", '\"'); return b; }\n\
        uint8_t *d(int n) { if (n) { return malloc(n); } return 0; }\n\
        uint8_t *e(int n = 1) { return new uint8_t[n]; }\n\
        uint8_t *f(void) { return renew (b); }\n\
        static uint8_t *table[] = { calloc };\nvoid g(void);\n";
    let functions = read(text.as_bytes()).functions;
    let found = functions.iter().filter(|function| function.allocates);
    let names: Vec<&str> = found.map(|function| function.name.as_str()).collect();
    // The second `e` leaves the argument out.
    assert_eq!(names, ["d", "e", "e"]);
}
