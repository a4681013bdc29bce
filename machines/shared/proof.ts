/**
 * The rejections of a code or a refresh token whose sender does not prove the key that the request needs. The proof is that of DPoP
 * (RFC 9449), or the TLS client certificate (RFC 8705). Each changes nothing: the credential waits for its holder.
 */
import type { SharedArm } from './arm.ts';
import { reject } from './effects.ts';
import type { Proof } from './facts.ts';

export type ProofDemanded = {
  /** The thumbprint of the key or the certificate to which the credential is bound. `null`: to its client alone. */
  readonly boundTo: string | null;
  /** Whether the client gets no access token without a proof. */
  readonly proofRequired: boolean;
  /** Whether the client gets no access token without a certificate. */
  readonly certificateRequired: boolean;
};

type Proven = { context: ProofDemanded; event: { readonly proof: Proof } };

export const proofGuards = {
  proofInvalid: ({ event }: Proven) => event.proof.problem === 'invalid',
  nonceMissing: ({ event }: Proven) => event.proof.problem === 'nonceMissing',
  proofMissing: ({ context, event }: Proven) => context.proofRequired && event.proof.key === null,
  certificateMissing: ({ context, event }: Proven) => context.certificateRequired && event.proof.certificate === null,
  keyDiffers: ({ context, event }: Proven) =>
    context.boundTo !== null && event.proof.key !== context.boundTo && event.proof.certificate !== context.boundTo,
};

/** Where the key of the proof, if any, is the right one. */
export const rejectWrongProof = [
  {
    guard: 'proofInvalid',
    actions: reject('dpop_proof_invalid'),
    description: 'The DPoP proof is malformed, old, used before, or not for this request.',
    meta: { spec: 'RFC 9449 §4.3, §5' },
  },
  {
    guard: 'nonceMissing',
    actions: reject('dpop_nonce_missing'),
    description: 'The policy of the client demands a current nonce of this server in the proof.',
    meta: { spec: 'RFC 9449 §8' },
  },
  {
    guard: 'proofMissing',
    actions: reject('dpop_proof_missing'),
    description: 'The client is registered for bound access tokens alone, and sent no proof.',
    meta: { spec: 'RFC 9449 §5.2' },
  },
  {
    guard: 'certificateMissing',
    actions: reject('client_certificate_missing'),
    description:
      'The client is registered for certificate-bound access tokens alone, and no valid certificate arrived.',
    meta: { spec: 'RFC 8705 §3' },
  },
] as const satisfies readonly SharedArm[];

export const rejectUnproven = [
  ...rejectWrongProof,
  {
    guard: 'keyDiffers',
    actions: reject('dpop_key_mismatch'),
    description: 'It is bound to a key or a certificate that the request does not prove.',
    meta: { spec: 'RFC 9449 §5, §10, RFC 8705 §4' },
  },
] as const satisfies readonly SharedArm[];
