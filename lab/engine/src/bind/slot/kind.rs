//! The values that a call can pass, and the purposes that a function can have.

/// A value that the glue passes to a function of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// The expanded key, or the state of a hash.
    State,
    /// A pointer that the function points to a state of its own.
    StateOut,
    /// The state of one message, beside the expanded key.
    Message,
    /// The expanded key of the block cipher, for a mode that has a state of its own.
    Cipher,
    /// The bytes of the message's size in a block of CCM: L [RFC3610, 2.1].
    LengthBytes,
    Key,
    /// The library's own array for a key or a block.
    Held,
    /// A copy of the key, which the function overwrites with its last round key.
    KeyCopy,
    KeyBytes,
    KeyBits,
    /// The size of the key in words of 32 bits: Nk [FIPS197, 2.2].
    KeyWords,
    /// 10, 12 or 14 [FIPS197, 5].
    Rounds,
    /// IV, counter block or nonce.
    Iv,
    IvBytes,
    /// The bytes of a counter block that count.
    CounterBytes,
    In,
    /// One byte of a message, for a function that takes no more.
    InByte,
    Bytes,
    Blocks,
    Bits,
    Out,
    /// The room of the output in bytes.
    OutBytes,
    /// The output with the IV before it.
    OutWithIv,
    /// A number that the function sets to the size of its output.
    OutSize,
    /// The size of a digest or tag.
    DigestBytes,
    DigestBits,
    /// One buffer that the function changes.
    InPlace,
    Ad,
    AdBytes,
    Tag,
    /// A number that the function sets if the tag is right.
    Checked,
    TagBytes,
    /// 1 to encrypt, 0 to decrypt.
    Encrypts,
    /// 0 to encrypt, 1 to decrypt.
    Decrypts,
    /// 1 for CBC, 0 for single blocks.
    Chains,
    Zero,
    Null,
    /// A constant that names the key size.
    KeyName,
    /// A constant that names the mode.
    ModeName,
    /// A number with the place in a key stream, 0 before a message.
    Place,
    /// A function that increments the counter block of CTR.
    Increment,
    /// A buffer for the function's own use.
    Scratch,
    /// The size of a block, of a cipher that has several.
    BlockBytes,
    BlockBits,
    /// The rate of a sponge in bits [FIPS202, 4], or in bytes.
    Rate,
    RateBytes,
    /// The capacity of a sponge in bits [FIPS202, 4].
    Capacity,
    /// The bits after a message and the first of its padding, as a byte [FIPS202, B.2].
    Suffix,
    /// The secret key of a key agreement or signature, in the library's form.
    Secret,
    /// The seed of a key pair.
    Seed,
    /// The public key that belongs to the secret, or that verifies.
    Public,
    /// The public key of the other side.
    Peer,
    Signature,
    /// The size of a signature that is verified.
    SignatureBytes,
    /// The ciphertext of a key encapsulation.
    Capsule,
    /// The library's own object that describes the algorithm.
    Described,
    /// The object that names the elliptic curve.
    Curve,
}

/// The units in which a call is told the size of a key.
pub const KEY_UNITS: [Slot; 3] = [Slot::KeyBytes, Slot::KeyBits, Slot::KeyWords];

/// The purpose of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    SetKey,
    SetIv,
    /// Puts a block into the library.
    Load,
    /// Encrypts the block that is in the library.
    Run,
    /// The same back.
    RunBack,
    /// Gets the block from the library.
    Fetch,
    Encrypt,
    Decrypt,
    Start,
    Update,
    Finish,
    /// One call from message to digest.
    Digest,
    Seal,
    Open,
    /// The beginning of a message that is sealed or opened in steps.
    Begin,
    /// Its associated data.
    AddData,
    /// A part of it.
    SealPart,
    OpenPart,
    /// Its tag.
    TagOut,
    /// An object of a class.
    Construct,
    /// What a program calls once, before any key.
    Prepare,
    /// A shared secret of a secret and a peer's public key.
    Agree,
    /// The public key of a secret.
    PublicOf,
    /// Both keys, of a seed or of random numbers.
    Pair,
    /// Whether a public key is a point of the curve.
    Valid,
    Sign,
    Check,
    /// A message with its signature, as in SUPERCOP.
    Envelope,
    Unwrap,
    /// Both keys of a key encapsulation.
    KemPair,
    Encapsulate,
    Decapsulate,
    /// Both keys of a signature scheme with large keys, and its signatures, as in NIST's interface.
    LargePair,
    LargeSign,
    LargeCheck,
    /// A message with such a signature before it.
    LargeEnvelope,
    LargeUnwrap,
}

impl Purpose {
    /// True for functions of key agreements and signatures.
    pub fn is_public_key(self) -> bool {
        self >= Purpose::Agree
    }

    /// True for functions of key encapsulations.
    pub fn is_kem(self) -> bool {
        (Purpose::KemPair..=Purpose::Decapsulate).contains(&self)
    }

    /// True for functions of signature schemes with large keys.
    pub fn is_large_signature(self) -> bool {
        self >= Purpose::LargePair
    }

    /// True for functions that seal a message in steps.
    pub fn is_step(self) -> bool {
        (Purpose::Begin..=Purpose::TagOut).contains(&self)
    }
}
