/** One step of an interaction: load → decide → commit, as for tokens. Approving makes the grant in the same statement. */
import { interactionMachine } from '../../machines/interaction.machine.ts';
import type {
  AuthorizationRefusal,
  InteractionContext,
  InteractionEvent,
  RejectReason,
} from '../../machines/vocabulary.ts';
import type { Client } from '../model/client.ts';
import type { SignInFacts } from '../model/grant.ts';
import type { Interaction } from '../model/interaction.ts';
import type { Lifetimes } from '../model/lifetimes.ts';
import type { Session } from '../model/session.ts';
import { type Decision, decide, effectOf } from './decide.ts';
import { InvariantViolation, StoreUnavailable, Unavailable } from './errors.ts';
import type { InteractionStore, LoadedInteractionFacts } from './ports.ts';

export type InteractionDeps = {
  readonly store: InteractionStore;
  readonly makeGrantId: () => string;
  /** The code of a grant is a function of its id and the root secret, so that a repeated answer is the same answer. */
  readonly makeCode: (grantId: string) => { readonly code: string; readonly secretHash: Uint8Array };
  /** Null: the secret that made it is gone. */
  readonly remakeCode: (grantId: string, storedHash: Uint8Array) => string | null;
  readonly lifetimesOf: (client: Client) => Lifetimes;
  /** Redirect URI and grant type are what the client is registered for today, not when the interaction began. */
  readonly isStillRegistered: (client: Client, interaction: Interaction) => boolean;
};

/** What the browser is to see next. */
export type InteractionOutcome = { readonly interaction: Interaction; readonly client: Client } & (
  | { readonly kind: 'signIn' }
  | { readonly kind: 'consent' }
  | { readonly kind: 'approved'; readonly code: string }
  | { readonly kind: 'denied'; readonly error: AuthorizationRefusal }
  | { readonly kind: 'rejected'; readonly reason: RejectReason }
);

const MAX_ATTEMPTS = 5;

/** @returns null when there is no such interaction. @throws Unavailable as `present` does. */
export async function interact(
  deps: InteractionDeps,
  id: string,
  type: InteractionEvent['type'],
  session: Session | null,
): Promise<InteractionOutcome | null> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    const facts = await read(deps.store, id, session);
    if (!facts) return null;
    const decision = decideInteraction(deps, facts, type, session);
    const outcome = await settle(deps, facts, decision, session);
    if (outcome) return outcome;
  }
  throw new Unavailable('too_many_conflicts');
}

async function read(store: InteractionStore, id: string, session: Session | null) {
  try {
    return await store.loadInteraction({ id, userId: session?.userId ?? null });
  } catch (error) {
    if (error instanceof StoreUnavailable) throw new Unavailable('store_unavailable', { cause: error });
    throw error;
  }
}

function decideInteraction(
  { isStillRegistered }: InteractionDeps,
  { now, interaction, client, remembered, grant }: LoadedInteractionFacts,
  type: InteractionEvent['type'],
  session: Session | null,
): Decision {
  const context: InteractionContext = {
    endsAt: interaction.endsAt.getTime(),
    scope: interaction.scope,
    resources: interaction.resources,
    userId: interaction.userId,
    clientEnded:
      client.deletedAt !== null || client.epoch !== interaction.clientEpoch || !isStillRegistered(client, interaction),
    consentMayBeRemembered: client.tokenEndpointAuthMethod !== 'none' || interaction.redirectUri.startsWith('https:'),
    codeIsWaiting: grant?.codeIsUnused === true && now < grant.codeEndsAt,
    prompt: interaction.prompt,
    maxAgeSeconds: interaction.maxAgeSeconds,
    hintedUserId: interaction.hintedUserId,
  };
  const event: InteractionEvent = {
    type,
    now: now.getTime(),
    userId: session?.userId ?? null,
    signedInAt: session?.signedInAt.getTime() ?? null,
    remembered,
  };
  return decide(interactionMachine, interaction.state, context, event);
}

/** @returns null when a loaded fact no longer held: load and decide again. */
async function settle(
  deps: InteractionDeps,
  facts: LoadedInteractionFacts,
  decision: Decision,
  session: Session | null,
): Promise<InteractionOutcome | null> {
  const { interaction, client } = facts;
  const rejected = effectOf(decision, 'reject');
  if (rejected) return { kind: 'rejected', interaction, client, reason: rejected.params.reason };
  if (effectOf(decision, 'askSignIn') ?? effectOf(decision, 'askAccount'))
    return { kind: 'signIn', interaction, client };
  if (effectOf(decision, 'repeatAnswer')) return repeat(deps, facts);

  const move = moveOf(facts, decision, session);
  if (effectOf(decision, 'askConsent')) {
    return (await sent(deps.store.moveInteraction(move))) ? { kind: 'consent', interaction, client } : null;
  }
  const refused = effectOf(decision, 'refuseAuthorization');
  if (refused) {
    const { error } = refused.params;
    return (await sent(deps.store.moveInteraction(move))) ? { kind: 'denied', interaction, client, error } : null;
  }
  if (!effectOf(decision, 'issueCode') || !session) throw new InvariantViolation('an answer without a commit');
  const grantId = deps.makeGrantId();
  const { code, secretHash } = deps.makeCode(grantId);
  const policy = deps.lifetimesOf(client);
  const approved = await sent(
    deps.store.approveInteraction({
      ...move,
      session,
      grantId,
      codeHash: secretHash,
      codeEndsAt: new Date(facts.now.getTime() + policy.authorizationCodeLifetimeSeconds * 1000),
      policy: policy.name,
      unasked: decision.event !== 'consented',
      remember: effectOf(decision, 'rememberConsent') !== undefined,
      identity: identityOf(interaction, session),
    }),
  );
  return approved ? { kind: 'approved', interaction, client, code } : null;
}

/** OpenID Connect Core §2: `auth_time` is when the person last authenticated; the `nonce` comes back unmodified. */
function identityOf({ scope, nonce }: Interaction, { signedInAt, sid }: Session): SignInFacts | null {
  if (!scope.includes('openid')) return null;
  return { nonce, authTime: Math.floor(signedInAt.getTime() / 1000), sid };
}

function repeat(deps: InteractionDeps, { interaction, client, grant }: LoadedInteractionFacts): InteractionOutcome {
  // Only a person's own "no" can be sent twice: where nobody could be asked, there was no form.
  if (interaction.state === 'denied') return { kind: 'denied', interaction, client, error: 'access_denied' };
  if (!grant) throw new InvariantViolation('an approved interaction without its grant');
  const code = deps.remakeCode(grant.id, grant.codeHash);
  if (code === null) return { kind: 'rejected', interaction, client, reason: 'interaction_completed' };
  return { kind: 'approved', interaction, client, code };
}

const STATE_OF_EFFECT = {
  askConsent: 'awaitingConsent',
  issueCode: 'approved',
  refuseAuthorization: 'denied',
} as const;

/** What the effects make of the row; it must be what the machine says. */
function moveOf({ interaction, now }: LoadedInteractionFacts, decision: Decision, session: Session | null) {
  const effect = (Object.keys(STATE_OF_EFFECT) as (keyof typeof STATE_OF_EFFECT)[]).find((one) =>
    effectOf(decision, one),
  );
  const to = effect && STATE_OF_EFFECT[effect];
  if (to === undefined || to !== decision.to) {
    throw new InvariantViolation(`interaction: the machine says ${decision.to}, its effects make ${to ?? 'nothing'}`);
  }
  const userId = session?.userId ?? interaction.userId;
  const { machine, event, from } = decision;
  const entry = { machine, event, from, to, reason: null, generation: null };
  return { loaded: interaction, now, to, userId, entry };
}

/** A lost commit is safe to decide again: whatever it made of the interaction, the machine has an arm for. */
async function sent(commit: Promise<boolean>): Promise<boolean> {
  try {
    return await commit;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    if (error.maybeCommitted) return false;
    throw new Unavailable('store_unavailable', { cause: error });
  }
}
