//! The functions of a key encapsulation, by which the glue calls them (glue_rust_kem.h). A crate
//! takes this file as a module with `#[macro_use]`, by its path.

/// Exports a key pair, an encapsulation and a decapsulation under these names. Each is a function
/// or a closure that takes what C handed over.
macro_rules! export_kem {
    ($keygen:ident: $make:expr, $encapsulate:ident: $seal:expr, $decapsulate:ident: $open:expr $(,)?) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $keygen(public: *mut u8, private: *mut u8, seed: *const u8) -> i32 {
            let make: unsafe fn(*mut u8, *mut u8, *const u8) -> i32 = $make;
            unsafe { make(public, private, seed) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $encapsulate(
            ciphertext: *mut u8,
            secret: *mut u8,
            public: *const u8,
            random: *const u8,
        ) -> i32 {
            let seal: unsafe fn(*mut u8, *mut u8, *const u8, *const u8) -> i32 = $seal;
            unsafe { seal(ciphertext, secret, public, random) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $decapsulate(
            secret: *mut u8,
            private: *const u8,
            ciphertext: *const u8,
        ) -> i32 {
            let open: unsafe fn(*mut u8, *const u8, *const u8) -> i32 = $open;
            unsafe { open(secret, private, ciphertext) }
        }
    };
}
