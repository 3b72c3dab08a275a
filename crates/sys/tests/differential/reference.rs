//! The block ciphers and modes of the RustCrypto project, under one roof.

use cbc::cipher::block_padding::{NoPadding, Pkcs7};
use cbc::cipher::common::InnerInit;
use cbc::cipher::consts::{U1, U16};
use cbc::cipher::{
    Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser,
    InOut, InnerIvInit, KeyInit, ParBlocksSizeUser, StreamCipher, StreamCipherCoreWrapper,
};

/// A block cipher with its key, in the modes.
pub trait Reference {
    fn encrypt_block(&self, block: [u8; 16]) -> [u8; 16];
    fn decrypt_block(&self, block: [u8; 16]) -> [u8; 16];
    fn ecb_encrypt(&self, data: &[u8]) -> Vec<u8>;
    /// IV, then ciphertext with padding.
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

/// The `speck-cipher` crate reads words in the order of the paper, most significant byte and
/// word first; Selo in that of [SPECKGUIDE, 2]: all bytes of a key or block are the other way
/// round.
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
