//! What is needed of OpenSSL's functions for keys, key encapsulation and signatures, with their names
//! in its documentation. Null stands for a failure, as it does there.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

/// `OSSL_PARAM`. An array of them ends with one whose key is null.
#[repr(C)]
struct Parameter {
    key: *const c_char,
    kind: c_uint,
    data: *const c_void,
    size: usize,
    returned: usize,
}

const INTEGER: c_uint = 1;
const OCTETS: c_uint = 5;
/// `OSSL_PARAM_UNMODIFIED`.
const UNMODIFIED: usize = usize::MAX;

/// A `EVP_PKEY`, an `EVP_PKEY_CTX` or an `EVP_SIGNATURE`.
enum Opaque {}

unsafe extern "C" {
    fn EVP_PKEY_CTX_new_from_name(
        library: *const c_void,
        name: *const c_char,
        properties: *const c_char,
    ) -> *mut Opaque;
    fn EVP_PKEY_CTX_new_from_pkey(
        library: *const c_void,
        key: *mut Opaque,
        properties: *const c_char,
    ) -> *mut Opaque;
    fn EVP_PKEY_CTX_free(context: *mut Opaque);
    fn EVP_PKEY_CTX_set_params(context: *mut Opaque, parameters: *const Parameter) -> c_int;
    fn EVP_PKEY_keygen_init(context: *mut Opaque) -> c_int;
    fn EVP_PKEY_generate(context: *mut Opaque, key: *mut *mut Opaque) -> c_int;
    fn EVP_PKEY_free(key: *mut Opaque);
    fn EVP_PKEY_get_raw_public_key(key: *const Opaque, out: *mut u8, size: *mut usize) -> c_int;
    fn EVP_PKEY_get_raw_private_key(key: *const Opaque, out: *mut u8, size: *mut usize) -> c_int;
    fn EVP_PKEY_new_raw_public_key_ex(
        library: *const c_void,
        name: *const c_char,
        properties: *const c_char,
        bytes: *const u8,
        size: usize,
    ) -> *mut Opaque;
    fn EVP_PKEY_new_raw_private_key_ex(
        library: *const c_void,
        name: *const c_char,
        properties: *const c_char,
        bytes: *const u8,
        size: usize,
    ) -> *mut Opaque;
    fn EVP_PKEY_encapsulate_init(context: *mut Opaque, parameters: *const Parameter) -> c_int;
    fn EVP_PKEY_encapsulate(
        context: *mut Opaque,
        sealed: *mut u8,
        sealed_size: *mut usize,
        secret: *mut u8,
        secret_size: *mut usize,
    ) -> c_int;
    fn EVP_PKEY_decapsulate_init(context: *mut Opaque, parameters: *const Parameter) -> c_int;
    fn EVP_PKEY_decapsulate(
        context: *mut Opaque,
        secret: *mut u8,
        secret_size: *mut usize,
        sealed: *const u8,
        sealed_size: usize,
    ) -> c_int;
    fn EVP_SIGNATURE_fetch(
        library: *const c_void,
        name: *const c_char,
        properties: *const c_char,
    ) -> *mut Opaque;
    fn EVP_SIGNATURE_free(signature: *mut Opaque);
    fn EVP_PKEY_sign_message_init(
        context: *mut Opaque,
        signature: *mut Opaque,
        parameters: *const Parameter,
    ) -> c_int;
    fn EVP_PKEY_sign(
        context: *mut Opaque,
        signature: *mut u8,
        signature_size: *mut usize,
        message: *const u8,
        message_size: usize,
    ) -> c_int;
    fn EVP_PKEY_verify_message_init(
        context: *mut Opaque,
        signature: *mut Opaque,
        parameters: *const Parameter,
    ) -> c_int;
    fn EVP_PKEY_verify(
        context: *mut Opaque,
        signature: *const u8,
        signature_size: usize,
        message: *const u8,
        message_size: usize,
    ) -> c_int;
}

/// A function that reads a key: library, name, properties, and the bytes with their number.
type Read = unsafe extern "C" fn(
    *const c_void,
    *const c_char,
    *const c_char,
    *const u8,
    usize,
) -> *mut Opaque;

/// A parameter of an operation.
pub enum Value<'v> {
    Bytes(&'static CStr, &'v [u8]),
    Number(&'static CStr, c_int),
}

impl Value<'_> {
    fn as_parameter(&self) -> Parameter {
        let (key, kind, data, size) = match self {
            Value::Bytes(key, bytes) => (key, OCTETS, bytes.as_ptr().cast(), bytes.len()),
            Value::Number(key, number) => {
                let at: *const c_int = number;
                (key, INTEGER, at.cast(), size_of::<c_int>())
            }
        };
        Parameter {
            key: key.as_ptr(),
            kind,
            data,
            size,
            returned: UNMODIFIED,
        }
    }
}

/// The parameters with their end. They point into `values`.
fn parameters(values: &[Value<'_>]) -> Vec<Parameter> {
    let end = Parameter {
        key: null(),
        kind: 0,
        data: null(),
        size: 0,
        returned: 0,
    };
    let all = values.iter().map(Value::as_parameter);
    all.chain([end]).collect()
}

/// An object of OpenSSL, with the function that frees it.
struct Owned(*mut Opaque, unsafe extern "C" fn(*mut Opaque));

impl Owned {
    fn new(made: *mut Opaque, free: unsafe extern "C" fn(*mut Opaque)) -> Option<Owned> {
        (!made.is_null()).then_some(Owned(made, free))
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: it came from OpenSSL, and this is its function.
        unsafe { self.1(self.0) }
    }
}

fn is_one(answer: c_int) -> Option<()> {
    (answer == 1).then_some(())
}

/// A private or a public key.
pub struct Key(Owned);

impl Key {
    /// A key pair of this seed.
    pub fn generate(name: &CStr, seed: &[u8]) -> Option<Key> {
        // SAFETY: the pointers are of this function, the name ends with zero.
        unsafe {
            let context = EVP_PKEY_CTX_new_from_name(null(), name.as_ptr(), null());
            let context = Owned::new(context, EVP_PKEY_CTX_free)?;
            is_one(EVP_PKEY_keygen_init(context.0))?;
            let values = [Value::Bytes(c"seed", seed)];
            is_one(EVP_PKEY_CTX_set_params(
                context.0,
                parameters(&values).as_ptr(),
            ))?;
            let mut key = null_mut();
            is_one(EVP_PKEY_generate(context.0, &raw mut key))?;
            Owned::new(key, EVP_PKEY_free).map(Key)
        }
    }

    pub fn public(name: &CStr, bytes: &[u8]) -> Option<Key> {
        Key::read(EVP_PKEY_new_raw_public_key_ex, name, bytes)
    }

    pub fn private(name: &CStr, bytes: &[u8]) -> Option<Key> {
        Key::read(EVP_PKEY_new_raw_private_key_ex, name, bytes)
    }

    fn read(read: Read, name: &CStr, bytes: &[u8]) -> Option<Key> {
        // SAFETY: the bytes are a slice, the name ends with zero.
        let key = unsafe { read(null(), name.as_ptr(), null(), bytes.as_ptr(), bytes.len()) };
        Owned::new(key, EVP_PKEY_free).map(Key)
    }

    /// Writes both keys. `None` if a size is another one.
    pub fn write(&self, public: &mut [u8], private: &mut [u8]) -> Option<()> {
        let [mut ours, mut theirs] = [private.len(), public.len()];
        // SAFETY: OpenSSL writes at most the size that it reads.
        unsafe {
            let at = private.as_mut_ptr();
            is_one(EVP_PKEY_get_raw_private_key(self.0.0, at, &raw mut ours))?;
            let at = public.as_mut_ptr();
            is_one(EVP_PKEY_get_raw_public_key(self.0.0, at, &raw mut theirs))?;
        }
        ([ours, theirs] == [private.len(), public.len()]).then_some(())
    }

    fn context(&self) -> Option<Owned> {
        // SAFETY: the key is OpenSSL's.
        let context = unsafe { EVP_PKEY_CTX_new_from_pkey(null(), self.0.0, null()) };
        Owned::new(context, EVP_PKEY_CTX_free)
    }

    /// Encapsulates with this randomness.
    pub fn encapsulate(&self, sealed: &mut [u8], secret: &mut [u8], random: &[u8]) -> Option<()> {
        let context = self.context()?;
        let values = [Value::Bytes(c"ikme", random)];
        let [mut sealed_size, mut secret_size] = [sealed.len(), secret.len()];
        // SAFETY: OpenSSL writes at most the sizes that it reads.
        unsafe {
            is_one(EVP_PKEY_encapsulate_init(
                context.0,
                parameters(&values).as_ptr(),
            ))?;
            is_one(EVP_PKEY_encapsulate(
                context.0,
                sealed.as_mut_ptr(),
                &raw mut sealed_size,
                secret.as_mut_ptr(),
                &raw mut secret_size,
            ))?;
        }
        ([sealed_size, secret_size] == [sealed.len(), secret.len()]).then_some(())
    }

    pub fn decapsulate(&self, secret: &mut [u8], sealed: &[u8]) -> Option<()> {
        let context = self.context()?;
        let mut size = secret.len();
        // SAFETY: as above.
        unsafe {
            is_one(EVP_PKEY_decapsulate_init(context.0, null()))?;
            let (out, at) = (secret.as_mut_ptr(), sealed.as_ptr());
            is_one(EVP_PKEY_decapsulate(
                context.0,
                out,
                &raw mut size,
                at,
                sealed.len(),
            ))?;
        }
        (size == secret.len()).then_some(())
    }

    /// Signs with these parameters.
    pub fn sign(
        &self,
        name: &CStr,
        signature: &mut [u8],
        message: &[u8],
        values: &[Value<'_>],
    ) -> Option<()> {
        let (context, algorithm) = (self.context()?, algorithm(name)?);
        let mut size = signature.len();
        // SAFETY: as above.
        unsafe {
            let given = parameters(values);
            is_one(EVP_PKEY_sign_message_init(
                context.0,
                algorithm.0,
                given.as_ptr(),
            ))?;
            let out = signature.as_mut_ptr();
            let (at, length) = (message.as_ptr(), message.len());
            is_one(EVP_PKEY_sign(context.0, out, &raw mut size, at, length))?;
        }
        (size == signature.len()).then_some(())
    }

    pub fn verify(
        &self,
        name: &CStr,
        signature: &[u8],
        message: &[u8],
        values: &[Value<'_>],
    ) -> Option<()> {
        let (context, algorithm) = (self.context()?, algorithm(name)?);
        // SAFETY: as above.
        unsafe {
            let given = parameters(values);
            is_one(EVP_PKEY_verify_message_init(
                context.0,
                algorithm.0,
                given.as_ptr(),
            ))?;
            is_one(EVP_PKEY_verify(
                context.0,
                signature.as_ptr(),
                signature.len(),
                message.as_ptr(),
                message.len(),
            ))
        }
    }
}

fn algorithm(name: &CStr) -> Option<Owned> {
    // SAFETY: the name ends with zero.
    let found = unsafe { EVP_SIGNATURE_fetch(null(), name.as_ptr(), null()) };
    Owned::new(found, EVP_SIGNATURE_free)
}
