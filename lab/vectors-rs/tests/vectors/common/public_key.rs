//! P-256 and Ed25519, from the RustCrypto crates and ed25519-dalek.

use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use selo_vectors::{CallOutput, status};

/// The answer of an operation; inputs that do not parse are refused.
pub fn call(algorithm: &str, operation: &str, inputs: &[&[u8]]) -> CallOutput {
    let answer = match (algorithm, operation, inputs) {
        ("ed25519", "keygen", [secret]) => {
            ed25519(secret).map(|key| key.verifying_key().to_bytes().to_vec())
        }
        ("ed25519", "sign", [secret, _, message, _]) => {
            use ed25519_dalek::Signer as _;
            ed25519(secret).map(|key| key.sign(message).to_bytes().to_vec())
        }
        ("ed25519", "verify", [public, message, signature]) => {
            ed25519_verify(public, message, signature)
        }
        (_, "keygen", [secret]) => p256::SecretKey::from_slice(secret)
            .ok()
            .map(|secret| point(&secret.public_key())),
        ("ecdsa-p-256", "sign", [secret, _, digest, _]) => {
            p256::ecdsa::SigningKey::from_slice(secret).ok().map(|key| {
                let signature: p256::ecdsa::Signature =
                    key.sign_prehash(digest).expect("a digest of 32 bytes");
                signature.to_bytes().to_vec()
            })
        }
        ("ecdsa-p-256", "verify", [public, digest, signature]) => {
            ecdsa_verify(public, digest, signature)
        }
        ("ecdh-p-256", "shared-secret", [secret, peer]) => agree(secret, peer),
        _ => None,
    };
    let empty = if operation == "shared-secret" {
        vec![0; 32]
    } else {
        Vec::new()
    };
    match answer {
        Some(output) => CallOutput {
            status: status::OK,
            output,
        },
        None => CallOutput {
            status: status::KEY,
            output: empty,
        },
    }
}

fn ed25519(secret: &[u8]) -> Option<ed25519_dalek::SigningKey> {
    let secret: [u8; 32] = secret.try_into().ok()?;
    Some(ed25519_dalek::SigningKey::from_bytes(&secret))
}

fn ed25519_verify(public: &[u8], message: &[u8], signature: &[u8]) -> Option<Vec<u8>> {
    use ed25519_dalek::Verifier as _;
    let public = ed25519_dalek::VerifyingKey::from_bytes(public.try_into().ok()?).ok()?;
    let signature = ed25519_dalek::Signature::from_slice(signature).ok()?;
    public.verify(message, &signature).ok()?;
    Some(Vec::new())
}

fn ecdsa_verify(public: &[u8], digest: &[u8], signature: &[u8]) -> Option<Vec<u8>> {
    let public = [&[4], public].concat();
    let public = p256::ecdsa::VerifyingKey::from_sec1_bytes(&public).ok()?;
    let signature = p256::ecdsa::Signature::from_slice(signature).ok()?;
    public.verify_prehash(digest, &signature).ok()?;
    Some(Vec::new())
}

fn agree(secret: &[u8], peer: &[u8]) -> Option<Vec<u8>> {
    let secret = p256::SecretKey::from_slice(secret).ok()?;
    let peer = p256::PublicKey::from_sec1_bytes(&[&[4], peer].concat()).ok()?;
    let shared = p256::ecdh::diffie_hellman(secret.to_nonzero_scalar(), peer.as_affine());
    Some(shared.raw_secret_bytes().to_vec())
}

fn point(public: &p256::PublicKey) -> Vec<u8> {
    use p256::elliptic_curve::sec1::ToEncodedPoint as _;
    public.to_encoded_point(false).as_bytes()[1..].to_vec()
}
