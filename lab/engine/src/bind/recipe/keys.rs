//! The calls of a key agreement or a signature.

use crate::bind::call::Call;
use crate::scan::{Declared, Scanned};

/// The calls of a key agreement or a signature.
#[derive(Clone, Debug, Default)]
pub struct KeyCalls<'l> {
    pub agree: Option<Call<'l>>,
    pub public_of: Option<Call<'l>>,
    pub pair: Option<Call<'l>>,
    pub valid: Option<Call<'l>>,
    pub sign: Option<Call<'l>>,
    pub check: Option<Call<'l>>,
    pub encapsulate: Option<Call<'l>>,
    pub decapsulate: Option<Call<'l>>,
    pub form: KeyForm,
    /// The functions return 0 if they fail, and not if they succeed.
    pub zero_fails: bool,
    /// The glue fixes the bits of a secret that RFC 7748, 5 fixes, because the library does not.
    pub clamps: bool,
    /// The glue clears the highest bit of the peer's public value, which RFC 7748, 5 ignores, because
    /// the library does not.
    pub masks: bool,
    /// Nothing names the algorithm: only the sizes are its own. An earlier draft may have them too.
    pub nameless: bool,
    /// The expression of the curve's object.
    pub curve: Option<String>,
    /// The function that sets the source of random numbers.
    pub set_random: Option<&'l Declared>,
    /// The name of the source of random numbers that the library leaves to its user.
    pub random: Option<&'l Declared>,
}

/// What the library takes as a secret key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyForm {
    /// The secret as it is.
    #[default]
    Secret,
    /// The secret, followed by the public key.
    SecretAndPublic,
    /// What its function for key pairs makes of the secret.
    Made,
}

/// The function that a library of many schemes draws its random numbers with, and leaves to its user.
pub(super) fn random_source(scanned: &Scanned) -> Option<&Declared> {
    scanned.functions.iter().find(|declared| {
        let function = &declared.function;
        function.name.to_lowercase().contains("randombytes") && function.parameters.len() == 2
    })
}

impl<'l> KeyCalls<'l> {
    /// Every call, each once.
    pub fn calls(&self) -> impl Iterator<Item = &Call<'l>> {
        let all = [
            &self.agree,
            &self.public_of,
            &self.pair,
            &self.valid,
            &self.sign,
            &self.check,
            &self.encapsulate,
            &self.decapsulate,
        ];
        all.into_iter().flatten()
    }
}
