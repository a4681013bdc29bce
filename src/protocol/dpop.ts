/**
 * The DPoP proof of a request to this server (RFC 9449 §4.3): read → compare the nonce → let it pass once. A request without the
 * header loads nothing of this.
 */
import type { ClientCertificates } from '../config/client-certificates.ts';
import { type Configuration, policyOf } from '../config/configuration.ts';
import { dpopNonceAt, isCurrentDpopNonce } from '../crypto/dpop-nonce.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import type { ProofAlgorithm, ProofExpected, ProofProblem } from '../guard/dpop-proof.ts';
import { presentJti, type UsedJtiPorts } from '../lifecycles/used-jti/lifecycle.ts';
import type { TokenClient } from '../model/client.ts';
import { NO_PROOF, type Proof } from '../model/proof.ts';
import { urlUnder } from '../oauth/urls.ts';

/** For the metadata and challenges, without loading the check. */
export const DPOP_ALGORITHMS: readonly string[] = Object.keys({
  ES256: true,
  EdDSA: true,
  PS256: true,
} satisfies Record<ProofAlgorithm, true>);

/** `detail`: for the log. Absent: the proof is valid. */
export type PresentedProof = Omit<Proof, 'certificate'> & {
  readonly detail?: ProofProblem | 'proof_nonce_differs' | 'proof_replayed';
};

export type ProofDeps = UsedJtiPorts & {
  readonly issuer: string;
  readonly clientCertificates?: Pick<ClientCertificates, 'aliasOrigin'> | null;
};

/** Whether no request had this proof before, on any node. @param id a hash of its key and its `jti`. @throws Unavailable */
export async function isFirstUse(
  ports: UsedJtiPorts,
  { id, endsAt }: { readonly id: string; readonly endsAt: Date },
  now: Date,
): Promise<boolean> {
  // The check of the proof has compared its times.
  const answer = await presentJti(ports, id, now, { endsAt, beginsAt: null });
  return answer.kind === 'accepted';
}

/** The request: to this server, so its URL derives from the issuer, and never from the Host header. */
export type ProvenRequest = Pick<ProofExpected, 'method' | 'accessToken' | 'now'> & {
  readonly path: string;
  /** Null: the request needs no nonce. */
  readonly isCurrentNonce: ((nonce: string) => boolean) | null;
};

/** @param sent the value of the header. @throws Unavailable */
export async function presentedProof(
  deps: ProofDeps,
  sent: string,
  { method, path, accessToken, now, isCurrentNonce }: ProvenRequest,
): Promise<PresentedProof> {
  const { readProof } = await import('../guard/dpop-proof.ts');
  const url = urlUnder(deps.issuer, path);
  // RFC 8705 §5: the same endpoint, for clients with certificates.
  const aliasOrigin = deps.clientCertificates?.aliasOrigin ?? null;
  const alias = aliasOrigin === null ? {} : { alias: aliasOrigin + new URL(url).pathname };
  const reading = await readProof(sent, { method, url, ...alias, accessToken, now });
  if (reading.kind === 'invalid') return { key: null, problem: 'invalid', detail: reading.problem };
  const { jkt, nonce, id, endsAt } = reading;
  if (isCurrentNonce !== null && !(nonce !== null && isCurrentNonce(nonce)))
    return { key: jkt, problem: 'nonceMissing', detail: 'proof_nonce_differs' };
  const isFirst = await isFirstUse(deps, { id, endsAt: new Date(endsAt) }, new Date(now));
  return isFirst ? { key: jkt, problem: null } : { key: null, problem: 'invalid', detail: 'proof_replayed' };
}

/** `nextNonce`: absent where the policy of the client demands none. */
type ClientProof = Proof & Pick<PresentedProof, 'detail'> & { readonly nextNonce?: string };

/**
 * Of an authenticated client, so that no other sender has proofs remembered. A proof that is not valid is a fact for the decision.
 *
 * @throws Unavailable
 */
export async function proofOfClient(
  deps: ProofDeps & { readonly keys: RootKeys; readonly configuration: () => Configuration },
  path: string,
  { dpop: sent }: { readonly dpop: string | undefined },
  { client, now }: { readonly client: Pick<TokenClient, 'clientId' | 'policy'>; readonly now: Date },
): Promise<ClientProof> {
  if (sent === undefined) return NO_PROOF;
  const { dpopNonceRequired = false } = policyOf(deps.configuration(), client);
  const proof = await presentedProof(deps, sent, {
    method: 'POST',
    path,
    accessToken: null,
    now: now.getTime(),
    isCurrentNonce: dpopNonceRequired ? (nonce) => isCurrentDpopNonce(deps.keys, nonce, now.getTime()) : null,
  });
  const byKey = { ...NO_PROOF, ...proof };
  return dpopNonceRequired ? { ...byKey, nextNonce: dpopNonceAt(deps.keys, now.getTime()) } : byKey;
}

export type Told<Facts> = {
  /** `proof`: the problem with it. Absent: none. */
  readonly facts: Facts & { readonly proof?: string };
  /** RFC 9449 §8.2: the nonce for the next proof. Absent: the policy of the client demands none, or no proof was sent. */
  readonly dpopNonce?: string;
};

/** For the log and the client, besides the outcome. */
export const toldBy = <Facts>({ detail, nextNonce }: ClientProof, facts: Facts): Told<Facts> => ({
  facts: { ...facts, ...(detail !== undefined && { proof: detail }) },
  ...(nextNonce !== undefined && { dpopNonce: nextNonce }),
});
