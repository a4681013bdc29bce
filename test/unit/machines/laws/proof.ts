/** The guards of the keys that a request proves, in the order of their rejections. */
export const UNPROVEN = [
  ['proofInvalid', 'dpop_proof_invalid'],
  ['nonceMissing', 'dpop_nonce_missing'],
  ['proofMissing', 'dpop_proof_missing'],
  ['certificateMissing', 'client_certificate_missing'],
  ['keyDiffers', 'dpop_key_mismatch'],
] as const;

/** Those that hold for a token which is proven already. */
export const WRONG_PROOF = [UNPROVEN[0], UNPROVEN[1], UNPROVEN[2], UNPROVEN[3]] as const;

/** None of them holds: the request proves the key that it needs. */
export const PROVEN = ['proofInvalid', 'nonceMissing', 'proofMissing', 'certificateMissing', 'keyDiffers'] as const;
