//! The ciphers, modes and hashes of the RustCrypto project behind common traits.

use std::rc::Rc;

use aes_gcm::AeadInOut;
use ascon_hash::digest::{FixedOutput, HashMarker, Output, OutputSizeUser, Update};

use cbc::cipher::block_padding::{NoPadding, Pkcs7};
use cbc::cipher::common::InnerInit;
use cbc::cipher::consts::{U1, U16, U32};
use cbc::cipher::typenum::Unsigned;
use cbc::cipher::{
    Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser,
    InOut, InnerIvInit, KeyInit, ParBlocksSizeUser, StreamCipher, StreamCipherCoreWrapper,
};

/// A block cipher with its key, in all modes.
pub trait Reference {
    fn encrypt_block(&self, block: [u8; 16]) -> [u8; 16];
    fn decrypt_block(&self, block: [u8; 16]) -> [u8; 16];
    fn ecb_encrypt(&self, data: &[u8]) -> Vec<u8>;
    /// Returns the IV, then the padded ciphertext.
    fn cbc_encrypt(&self, iv: [u8; 16], message: &[u8]) -> Vec<u8>;
    fn cbc_decrypt(&self, sealed: &[u8]) -> Option<Vec<u8>>;
    fn ctr(&self, counter: [u8; 16], data: &[u8]) -> Vec<u8>;
}

pub fn aes<C>(raw: &[u8]) -> Box<dyn Reference>
where
    C: KeyInit + Clone + 'static,
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16>,
{
    Box::new(Keyed(C::new_from_slice(raw).expect("a key of its size")))
}

/// The `speck-cipher` crate has the byte order of the paper, most significant byte and word
/// first. Selo has the order of [SPECKGUIDE, 2]. So all bytes of keys and blocks are reversed.
pub fn speck<C>(raw: &[u8]) -> Box<dyn Reference>
where
    C: KeyInit + Clone + 'static,
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16>,
{
    let reversed: Vec<u8> = raw.iter().rev().copied().collect();
    let cipher = C::new_from_slice(&reversed).expect("a key of its size");
    Box::new(Keyed(Reversed(cipher)))
}

struct Keyed<C>(C);

impl<C> Reference for Keyed<C>
where
    C: Clone + BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16>,
{
    fn encrypt_block(&self, block: [u8; 16]) -> [u8; 16] {
        let mut block = block.into();
        self.0.encrypt_block(&mut block);
        block.into()
    }

    fn decrypt_block(&self, block: [u8; 16]) -> [u8; 16] {
        let mut block = block.into();
        self.0.decrypt_block(&mut block);
        block.into()
    }

    fn ecb_encrypt(&self, data: &[u8]) -> Vec<u8> {
        ecb::Encryptor::inner_init(self.0.clone()).encrypt_padded_vec::<NoPadding>(data)
    }

    fn cbc_encrypt(&self, iv: [u8; 16], message: &[u8]) -> Vec<u8> {
        let mode = cbc::Encryptor::inner_iv_init(self.0.clone(), &iv.into());
        [&iv[..], &mode.encrypt_padded_vec::<Pkcs7>(message)].concat()
    }

    fn cbc_decrypt(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let (iv, ciphertext) = sealed.split_first_chunk::<16>()?;
        cbc::Decryptor::inner_iv_init(self.0.clone(), &(*iv).into())
            .decrypt_padded_vec::<Pkcs7>(ciphertext)
            .ok()
    }

    fn ctr(&self, counter: [u8; 16], data: &[u8]) -> Vec<u8> {
        let mut data = data.to_vec();
        let core = ctr::CtrCore::<C, ctr::flavors::Ctr128BE>::inner_iv_init(
            self.0.clone(),
            &counter.into(),
        );
        StreamCipherCoreWrapper::from_core(core).apply_keystream(&mut data);
        data
    }
}

#[derive(Clone)]
struct Reversed<C>(C);

impl<C: BlockSizeUser> BlockSizeUser for Reversed<C> {
    type BlockSize = C::BlockSize;
}

impl<C: BlockSizeUser> ParBlocksSizeUser for Reversed<C> {
    type ParBlocksSize = U1;
}

impl<C: BlockCipherEncrypt> BlockCipherEncBackend for Reversed<C> {
    fn encrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let mut bytes = block.clone_in();
        bytes.reverse();
        self.0.encrypt_block(&mut bytes);
        bytes.reverse();
        *block.get_out() = bytes;
    }
}

impl<C: BlockCipherEncrypt> BlockCipherEncrypt for Reversed<C> {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = C::BlockSize>) {
        f.call(self);
    }
}

impl<C: BlockCipherDecrypt> BlockCipherDecBackend for Reversed<C> {
    fn decrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let mut bytes = block.clone_in();
        bytes.reverse();
        self.0.decrypt_block(&mut bytes);
        bytes.reverse();
        *block.get_out() = bytes;
    }
}

impl<C: BlockCipherDecrypt> BlockCipherDecrypt for Reversed<C> {
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = C::BlockSize>) {
        f.call(self);
    }
}

/// A sealed message: ciphertext and tag.
pub type Sealed = (Vec<u8>, Vec<u8>);

/// A cipher chosen at run time, so that each mode is compiled once for all ciphers.
#[derive(Clone)]
struct Any(Rc<dyn Reference>);

impl BlockSizeUser for Any {
    type BlockSize = U16;
}

impl ParBlocksSizeUser for Any {
    type ParBlocksSize = U1;
}

impl BlockCipherEncBackend for Any {
    fn encrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let bytes = self.0.encrypt_block(block.clone_in().into());
        *block.get_out() = bytes.into();
    }
}

impl BlockCipherEncrypt for Any {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
        f.call(self);
    }
}

/// Seals with an AEAD of the RustCrypto project.
pub fn seal(aead: &impl AeadInOut, nonce: &[u8], ad: &[u8], message: &[u8]) -> Sealed {
    let nonce = nonce.try_into().expect("a nonce of its size");
    let mut data = message.to_vec();
    let tag = aead
        .encrypt_inout_detached(nonce, ad, data.as_mut_slice().into())
        .expect("sizes that it takes");
    (data, tag.to_vec())
}

/// Selects the arm of the type `$name` whose compile-time size equals `$size`.
macro_rules! by_size {
    ($size:expr, $name:ident => $result:expr, $($type:ident)+) => {
        match $size {
            $(size if size == <aes_gcm::aead::consts::$type as Unsigned>::USIZE => {
                type $name = aes_gcm::aead::consts::$type;
                $result
            })+
            size => panic!("no type for {size} bytes is listed here"),
        }
    };
}

/// Nonce sizes in bytes that [`gcm`] takes.
pub const GCM_NONCES: [usize; 12] = [1, 4, 8, 11, 12, 13, 15, 16, 17, 32, 33, 60];

/// GCM with the full tag. Shorter tags are its first bytes.
pub fn gcm(cipher: Box<dyn Reference>, nonce: &[u8], ad: &[u8], message: &[u8]) -> Sealed {
    let cipher = Any(cipher.into());
    by_size!(
        nonce.len(),
        N => seal(&aes_gcm::AesGcm::<Any, N>::from(cipher), nonce, ad, message),
        U1 U4 U8 U11 U12 U13 U15 U16 U17 U32 U33 U60
    )
}

/// CCM with a tag of `tag_size` bytes.
pub fn ccm(
    cipher: Box<dyn Reference>,
    nonce: &[u8],
    ad: &[u8],
    message: &[u8],
    tag_size: usize,
) -> Sealed {
    let cipher = Any(cipher.into());
    by_size!(
        nonce.len(),
        N => by_size!(
            tag_size,
            M => seal(&ccm::Ccm::<Any, M, N>::from(cipher), nonce, ad, message),
            U4 U6 U8 U10 U12 U14 U16
        ),
        U7 U8 U9 U10 U11 U12 U13
    )
}

/// Ascon-Hash256 with the block size that Selo's HMAC uses for it.
#[derive(Clone, Default)]
pub struct AsconBlock32(ascon_hash::AsconHash256);

impl HashMarker for AsconBlock32 {}

impl OutputSizeUser for AsconBlock32 {
    type OutputSize = U32;
}

impl BlockSizeUser for AsconBlock32 {
    type BlockSize = U32;
}

impl Update for AsconBlock32 {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl FixedOutput for AsconBlock32 {
    fn finalize_into(self, out: &mut Output<Self>) {
        self.0.finalize_into(out);
    }
}
