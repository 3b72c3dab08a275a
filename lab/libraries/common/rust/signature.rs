//! The functions of a signature scheme, by which the glue calls them (glue_rust_signature.h). A crate
//! takes this file as a module with `#[macro_use]`, by its path, beside message.rs.

/// Exports a key pair, a signature and a verification under these names. Each is a function or a
/// closure that takes what C handed over.
macro_rules! export_signature {
    ($keygen:ident: $make:expr, $sign:ident: $write:expr, $verify:ident: $check:expr $(,)?) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $keygen(public: *mut u8, private: *mut u8, seed: *const u8) -> i32 {
            let make: unsafe fn(*mut u8, *mut u8, *const u8) -> i32 = $make;
            unsafe { make(public, private, seed) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $sign(
            signature: *mut u8,
            message: *const Message,
            private: *const u8,
            random: *const u8,
        ) -> i32 {
            let write: unsafe fn(*mut u8, *const Message, *const u8, *const u8) -> i32 = $write;
            unsafe { write(signature, message, private, random) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $verify(
            signature: *const u8,
            size: usize,
            message: *const Message,
            public: *const u8,
        ) -> i32 {
            let check: unsafe fn(*const u8, usize, *const Message, *const u8) -> i32 = $check;
            unsafe { check(signature, size, message, public) }
        }
    };
}
