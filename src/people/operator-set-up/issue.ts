/** The link that makes the first operator: its secret, its URL, and its issue. */
import { sha256 } from '../../crypto/digest.ts';
import { type Random, uuidOf } from '../../crypto/random.ts';
import type { NewOperatorSetUp, OperatorSetUp } from '../../lifecycles/operator-set-up/entity.ts';
import {
  issueSetUp,
  type OperatorSetUpPorts,
  type OperatorSetUpRejected,
} from '../../lifecycles/operator-set-up/lifecycle.ts';
import type { Actor } from '../../model/actor.ts';
import { isSetUpSecret } from '../../oauth/set-up-secret.ts';
import { urlUnder } from '../../oauth/urls.ts';

export const SET_UP_PATH = '/operator/set-up';

const SECRET_BYTES = 32;

/** @returns the hash that identifies the link. Null: the text is no secret of such a link. */
export const hashOfSetUpSecret = (secret: string | null): Buffer | null =>
  secret !== null && isSetUpSecret(secret) ? sha256(secret) : null;

/** The id follows from the secret, so a secret makes one link, once: an id that was deleted never begins again. */
const idOf = (secret: string): string => uuidOf(sha256(`the set-up with ${secret}`).subarray(0, 16));

export type IssuingDeps = OperatorSetUpPorts & {
  readonly issuer: string;
  readonly random: Random;
  /** The usernames of operators.yaml. */
  readonly declared: readonly string[];
};

export type IssuedLink =
  /** `unchanged`: the same secret made a link before. */
  | { readonly kind: 'issued' | 'unchanged'; readonly url: string; readonly setUp: OperatorSetUp }
  | OperatorSetUpRejected;

/**
 * An older link becomes invalid.
 * @param username whom the link is for; null: its user chooses, or operators.yaml names one. @param secret absent: it is drawn.
 * @throws Unavailable, StoreUnavailable
 */
export async function issueLink(
  deps: IssuingDeps,
  username: string | null,
  actor: Actor,
  secret: string = deps.random.bytes(SECRET_BYTES).toString('base64url'),
): Promise<IssuedLink> {
  const fresh: NewOperatorSetUp = { id: idOf(secret), secretHash: sha256(secret), username };
  const issued = await issueSetUp(deps, fresh, deps.declared, actor);
  if (issued.kind === 'rejected') return issued;
  return { ...issued, url: urlUnder(deps.issuer, `${SET_UP_PATH}?t=${secret}`) };
}
