//! Functions of OpenSSL that openssl-sys does not declare, and keys and contexts that free themselves.

use core::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use core::ptr::{null, null_mut};

#[repr(C)]
pub(crate) struct Param {
    key: *const c_char,
    kind: u32,
    data: *const c_void,
    size: usize,
    returned: usize,
}

const OCTETS: u32 = 5;

/// A list of parameters of bytes. It ends with an empty one.
pub(crate) fn params<const N: usize>(given: [(&'static CStr, &[u8]); N]) -> Vec<Param> {
    let end = (null(), 0, &[][..]);
    let all = given.map(|(key, data)| (key.as_ptr(), OCTETS, data));
    all.into_iter()
        .chain([end])
        .map(|(key, kind, data)| Param {
            key,
            kind,
            data: data.as_ptr().cast(),
            size: data.len(),
            returned: usize::MAX,
        })
        .collect()
}

unsafe extern "C" {
    fn EVP_PKEY_CTX_new_from_name(
        library: *mut c_void,
        name: *const c_char,
        properties: *const c_char,
    ) -> *mut c_void;
    fn EVP_PKEY_CTX_new_from_pkey(
        library: *mut c_void,
        key: *mut c_void,
        properties: *const c_char,
    ) -> *mut c_void;
    fn EVP_PKEY_CTX_free(context: *mut c_void);
    fn EVP_PKEY_CTX_set_params(context: *mut c_void, params: *const Param) -> c_int;
    fn EVP_PKEY_keygen_init(context: *mut c_void) -> c_int;
    fn EVP_PKEY_generate(context: *mut c_void, key: *mut *mut c_void) -> c_int;
    fn EVP_PKEY_free(key: *mut c_void);
    fn EVP_PKEY_get_octet_string_param(
        key: *const c_void,
        name: *const c_char,
        out: *mut c_uchar,
        room: usize,
        size: *mut usize,
    ) -> c_int;
    fn EVP_PKEY_new_raw_private_key_ex(
        library: *mut c_void,
        name: *const c_char,
        properties: *const c_char,
        bytes: *const c_uchar,
        size: usize,
    ) -> *mut c_void;
    fn EVP_PKEY_new_raw_public_key_ex(
        library: *mut c_void,
        name: *const c_char,
        properties: *const c_char,
        bytes: *const c_uchar,
        size: usize,
    ) -> *mut c_void;
    fn EVP_PKEY_encapsulate_init(context: *mut c_void, params: *const Param) -> c_int;
    fn EVP_PKEY_encapsulate(
        context: *mut c_void,
        wrapped: *mut c_uchar,
        wrapped_size: *mut usize,
        secret: *mut c_uchar,
        secret_size: *mut usize,
    ) -> c_int;
    fn EVP_PKEY_decapsulate_init(context: *mut c_void, params: *const Param) -> c_int;
    fn EVP_PKEY_decapsulate(
        context: *mut c_void,
        secret: *mut c_uchar,
        secret_size: *mut usize,
        wrapped: *const c_uchar,
        wrapped_size: usize,
    ) -> c_int;
    fn EVP_SIGNATURE_fetch(
        library: *mut c_void,
        name: *const c_char,
        properties: *const c_char,
    ) -> *mut c_void;
    fn EVP_SIGNATURE_free(algorithm: *mut c_void);
    fn EVP_PKEY_sign_message_init(
        context: *mut c_void,
        algorithm: *mut c_void,
        params: *const Param,
    ) -> c_int;
    fn EVP_PKEY_sign(
        context: *mut c_void,
        out: *mut c_uchar,
        size: *mut usize,
        message: *const c_uchar,
        message_size: usize,
    ) -> c_int;
    fn EVP_PKEY_verify_message_init(
        context: *mut c_void,
        algorithm: *mut c_void,
        params: *const Param,
    ) -> c_int;
    fn EVP_PKEY_verify(
        context: *mut c_void,
        signature: *const c_uchar,
        size: usize,
        message: *const c_uchar,
        message_size: usize,
    ) -> c_int;
}

/// A pointer of OpenSSL, and the function that frees it.
struct Owned(*mut c_void, unsafe extern "C" fn(*mut c_void));

impl Owned {
    fn new(pointer: *mut c_void, free: unsafe extern "C" fn(*mut c_void)) -> Option<Owned> {
        (!pointer.is_null()).then_some(Owned(pointer, free))
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the pointer is OpenSSL's, and nobody else frees it.
        unsafe { (self.1)(self.0) }
    }
}

/// A key of a scheme.
pub(crate) struct Key(Owned);

// SAFETY of the calls below: every pointer is of a live value, with the size beside it.
impl Key {
    pub(crate) fn generate(name: &CStr, seed: &[u8]) -> Option<Key> {
        let given = params([(c"seed", seed)]);
        let mut key = null_mut();
        unsafe {
            let context = EVP_PKEY_CTX_new_from_name(null_mut(), name.as_ptr(), null());
            let context = Owned::new(context, EVP_PKEY_CTX_free)?;
            let made = EVP_PKEY_keygen_init(context.0) == 1
                && EVP_PKEY_CTX_set_params(context.0, given.as_ptr()) == 1
                && EVP_PKEY_generate(context.0, &mut key) == 1;
            made.then(|| Owned::new(key, EVP_PKEY_free).map(Key))?
        }
    }

    pub(crate) fn public(name: &CStr, bytes: &[u8]) -> Option<Key> {
        let key = unsafe {
            let (data, size) = (bytes.as_ptr(), bytes.len());
            EVP_PKEY_new_raw_public_key_ex(null_mut(), name.as_ptr(), null(), data, size)
        };
        Owned::new(key, EVP_PKEY_free).map(Key)
    }

    pub(crate) fn private(name: &CStr, bytes: &[u8]) -> Option<Key> {
        let key = unsafe {
            let (data, size) = (bytes.as_ptr(), bytes.len());
            EVP_PKEY_new_raw_private_key_ex(null_mut(), name.as_ptr(), null(), data, size)
        };
        Owned::new(key, EVP_PKEY_free).map(Key)
    }

    /// Writes `pub` or `priv`.
    pub(crate) fn write(&self, part: &CStr, out: &mut [u8]) -> Option<()> {
        let mut size = 0;
        let key = self.0.0.cast_const();
        let done = unsafe {
            EVP_PKEY_get_octet_string_param(
                key,
                part.as_ptr(),
                out.as_mut_ptr(),
                out.len(),
                &mut size,
            )
        };
        (done == 1 && size == out.len()).then_some(())
    }

    fn context(&self) -> Option<Owned> {
        let context = unsafe { EVP_PKEY_CTX_new_from_pkey(null_mut(), self.0.0, null()) };
        Owned::new(context, EVP_PKEY_CTX_free)
    }

    pub(crate) fn encapsulate(
        &self,
        random: &[u8],
        wrapped: &mut [u8],
        secret: &mut [u8],
    ) -> Option<()> {
        let (context, given) = (self.context()?, params([(c"ikme", random)]));
        let (mut size, mut secret_size) = (wrapped.len(), secret.len());
        let done = unsafe {
            EVP_PKEY_encapsulate_init(context.0, given.as_ptr()) == 1
                && EVP_PKEY_encapsulate(
                    context.0,
                    wrapped.as_mut_ptr(),
                    &mut size,
                    secret.as_mut_ptr(),
                    &mut secret_size,
                ) == 1
        };
        done.then_some(())
    }

    pub(crate) fn decapsulate(&self, wrapped: &[u8], secret: &mut [u8]) -> Option<()> {
        let context = self.context()?;
        let mut size = secret.len();
        let done = unsafe {
            EVP_PKEY_decapsulate_init(context.0, null()) == 1
                && EVP_PKEY_decapsulate(
                    context.0,
                    secret.as_mut_ptr(),
                    &mut size,
                    wrapped.as_ptr(),
                    wrapped.len(),
                ) == 1
        };
        done.then_some(())
    }

    pub(crate) fn sign(
        &self,
        name: &CStr,
        [message, context, random]: [&[u8]; 3],
        out: &mut [u8],
    ) -> Option<()> {
        let given = params([(c"context-string", context), (c"test-entropy", random)]);
        let (scheme, state) = (scheme(name)?, self.context()?);
        let mut size = out.len();
        let done = unsafe {
            EVP_PKEY_sign_message_init(state.0, scheme.0, given.as_ptr()) == 1
                && EVP_PKEY_sign(
                    state.0,
                    out.as_mut_ptr(),
                    &mut size,
                    message.as_ptr(),
                    message.len(),
                ) == 1
        };
        (done && size == out.len()).then_some(())
    }

    pub(crate) fn verify(
        &self,
        name: &CStr,
        [message, context]: [&[u8]; 2],
        signature: &[u8],
    ) -> Option<()> {
        let given = params([(c"context-string", context)]);
        let (scheme, state) = (scheme(name)?, self.context()?);
        let done = unsafe {
            EVP_PKEY_verify_message_init(state.0, scheme.0, given.as_ptr()) == 1
                && EVP_PKEY_verify(
                    state.0,
                    signature.as_ptr(),
                    signature.len(),
                    message.as_ptr(),
                    message.len(),
                ) == 1
        };
        done.then_some(())
    }
}

fn scheme(name: &CStr) -> Option<Owned> {
    let found = unsafe { EVP_SIGNATURE_fetch(null_mut(), name.as_ptr(), null()) };
    Owned::new(found, EVP_SIGNATURE_free)
}
