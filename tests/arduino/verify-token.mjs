/*
 * Checks the output of DeviceToken on standard input, as a cloud service would: the token verifies under the
 * printed public key with node's own ECDSA, its claims are those of the device, and the public key is that of
 * [RFC6979, A.2.5].
 */
import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const text = readFileSync(0, "utf8");
const coordinate = (name) => {
  const hex = text.match(new RegExp(`public key, ${name} ([0-9A-F]{64})\\r?\\n`));
  return Buffer.from(hex?.[1] ?? "", "hex").toString("base64url");
};
const jwk = { kty: "EC", crv: "P-256", x: coordinate("x"), y: coordinate("y") };
const [signed, signature] = text.match(/^(eyJ[\w-]+\.[\w-]+)\.([\w-]+)\r?$/m)?.slice(1) ?? [];
if (signed === undefined) {
  console.log("no token");
  process.exit(1);
}
const claims = JSON.parse(Buffer.from(signed.split(".")[1], "base64url"));
const key = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" };
const failures = Object.entries({
  "the public key": jwk.x === Buffer.from("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6", "hex").toString("base64url"),
  "the signature": verify("sha256", Buffer.from(signed), key, Buffer.from(signature, "base64url")),
  "a signature of other text": !verify("sha256", Buffer.from(signed + "A"), key, Buffer.from(signature, "base64url")),
  "the claims": claims.sub === "rain-gauge-1" && claims.exp === 1800000000,
}).filter(([, holds]) => !holds);
failures.forEach(([name]) => console.log(`wrong: ${name}`));
process.exit(failures.length === 0 ? 0 : 1);
