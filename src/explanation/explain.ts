/** The life of one authorization, from the database to a document: for `statehouse explain`, and for the management API. */
import type { Configuration } from '../config/configuration.ts';
import type { Drizzle } from '../storage/database.ts';
import { deniedAccessTokenStore } from '../storage/denied-access-tokens.ts';
import { loadLife } from '../storage/grant-life.ts';
import { listSigningKeys } from '../storage/signing-keys.ts';
import type { Clock } from '../system/clock.ts';
import { UNTRUSTED } from './advice.ts';
import { explanationDocument } from './document.ts';
import { explanationOf } from './explanation.ts';
import { type GivenCredential, type Keys, readCredential, verifyingKeys } from './presented.ts';
import { ownTokenWords } from './words.ts';

export type ExplainDeps = Omit<Keys, 'keyRing'> & {
  readonly db: Drizzle;
  readonly clock: Clock;
  readonly configuration: Configuration;
};

export type ExplainedGrant = ReturnType<typeof explanationDocument>;

/** A text that leads to no grant, or a token of a client itself. */
export type ExplainedWithoutGrant = {
  readonly grant_id: null;
  readonly presented:
    | { readonly place: GivenNothing['why']; readonly says: string }
    | {
        readonly place: 'client_credentials';
        readonly client_id: string;
        readonly state: 'expired' | 'client_ended' | 'revoked' | 'good';
        readonly expires_at: string;
        readonly says: string;
      };
};

type GivenNothing = Extract<GivenCredential, { kind: 'nothing' }>;
type OwnToken = Extract<GivenCredential, { kind: 'own_token' }>;

export type Explaining =
  | { readonly kind: 'explained'; readonly document: ExplainedGrant | ExplainedWithoutGrant }
  | { readonly kind: 'no_such_grant'; readonly grantId: string };

/**
 * @param text a token, a code or a grant id. The function does not present it: nothing changes. @throws
 * StoreUnavailable
 */
export async function explain(deps: ExplainDeps, text: string): Promise<Explaining> {
  const { db, clock, keys, issuer, configuration } = deps;
  const keyRing = verifyingKeys(await listSigningKeys(db));
  const credential = await readCredential({ keys, keyRing, issuer }, text);
  if (credential.kind === 'nothing') {
    const { why } = credential;
    return { kind: 'explained', document: { grant_id: null, presented: { place: why, says: UNTRUSTED[why] } } };
  }
  if (credential.kind === 'own_token') return { kind: 'explained', document: await ownToken(deps, credential) };

  const { grantId } = credential;
  const life = await loadLife(db, clock, grantId);
  const { client, grant, lines } = life;
  if (!grant && lines.length === 0) return { kind: 'no_such_grant', grantId };
  const policy = client && configuration.policies.get(client.policy);
  const lifetimes = client && policy ? { name: client.policy, ...policy } : null;
  const explained = { ...life, ...explanationOf(life, credential, lifetimes), grantId };
  return { kind: 'explained', document: explanationDocument(explained) };
}

/** Client credentials have no grant and no ledger entries, only the client's state. */
async function ownToken(
  { db, clock }: ExplainDeps,
  { clientId, clientEpoch, jti, expiresAt }: OwnToken,
): Promise<ExplainedWithoutGrant> {
  const { now, client, isDenied } = await deniedAccessTokenStore(db, clock).load({ clientId, jti });
  const isEnded = client === null || client.deletedAt !== null || client.epoch !== clientEpoch;
  const state = now >= expiresAt ? 'expired' : isEnded ? 'client_ended' : isDenied ? 'revoked' : 'good';
  return {
    grant_id: null,
    presented: {
      place: 'client_credentials',
      client_id: clientId,
      state,
      expires_at: expiresAt.toISOString(),
      says: ownTokenWords(clientId, state, expiresAt),
    },
  };
}
