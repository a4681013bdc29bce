/** Delegated sign-ins: the request that a reference stands for, and the application's answer. */
import { z } from 'zod';
import type { ExternalSignInRejectReason } from '../../../machines/external-sign-in/facts.ts';
import { BASE64URL } from '../../crypto/base64url.ts';
import type { RootKeys } from '../../crypto/root-secret.ts';
import type { ExternalSignIn } from '../../lifecycles/external-sign-in/entity.ts';
import type { Client } from '../../model/client.ts';
import { AUTHENTICATION_CLASSES, authenticationClassOf, satisfies } from '../../oauth/authentication-methods.ts';
import {
  answerDelegatedSignIn,
  type DelegatedAnswer,
  type DelegatedAnswered,
  findDelegatedSignIn,
  returnAddress,
} from '../../people/delegated/delegated-sign-in.ts';
import { openInteraction } from '../../protocol/sealed-interaction.ts';
import { acceptableClaims, acceptableUsername } from '../../registration/acceptable.ts';
import { findClient } from '../../storage/clients.ts';
import { externalSignInStore } from '../../storage/external-sign-ins.ts';
import { addressOf, links } from '../addresses.ts';
import type { ManagementDeps } from '../deps.ts';
import { shownInstant } from '../instant.ts';
import { link } from '../page.ts';
import { notFound, type Problem, type ProblemReason, problem, refusedField, refusedFields } from '../problem.ts';
import { type Answer, found, resource } from '../resource.ts';
import { sub } from './users.ts';

const params = { reference: z.string().max(100).regex(BASE64URL).describe('As the browser brought it.') };

const shape = z
  .object({
    state: z.enum(['awaiting', 'answered', 'denied', 'used']).describe('Only an awaiting sign-in takes an answer.'),
    began_at: shownInstant,
    ends_at: shownInstant.describe('The browser has to be back by then.'),
    client: z
      .object({ client_id: z.string(), client_name: z.string() })
      .nullable()
      .describe('The app that the end-user signs in to; null: a page of this server.'),
    scope: z.string().describe('The scope that the app requests.'),
    login_hint: z.string().nullable(),
    prompt: z
      .array(z.string())
      .describe('`login`: the end-user has to authenticate again (OpenID Connect Core §3.1.2.1).'),
    max_age: z.int().nullable().describe('The maximum age of the sign-in, in seconds.'),
    acr_values: z.array(z.string()),
    ui_locales: z.array(z.string()),
    _links: z.object({ self: link, answer: link }),
  })
  .meta({ id: 'SignIn' });

/** @returns null: the client gave none, or it was sealed under a root secret that is not listed any more. */
const loginHintOf = (
  keys: RootKeys,
  { interactionId, sealedInteraction }: Pick<ExternalSignIn, 'interactionId' | 'sealedInteraction'>,
): string | null =>
  interactionId === null || sealedInteraction === null
    ? null
    : (openInteraction(keys, interactionId, sealedInteraction)?.loginHint ?? null);

/** @param client the app that the end-user signs in to; null: none, or it is gone. */
export function documentOf(
  { issuer, keys }: Pick<ManagementDeps, 'issuer' | 'keys'>,
  reference: string,
  signIn: ExternalSignIn,
  client: Pick<Client, 'clientId' | 'clientName'> | null,
) {
  const { scope, prompt, maxAgeSeconds, acrValues, uiLocales } = signIn.requested;
  const self = addressOf(issuer, 'sign-ins', reference);
  return {
    state: signIn.state,
    began_at: signIn.beganAt.toISOString(),
    ends_at: signIn.endsAt.toISOString(),
    client: client && { client_id: client.clientId, client_name: client.clientName },
    scope: scope.join(' '),
    login_hint: loginHintOf(keys, signIn),
    prompt: [...prompt],
    max_age: maxAgeSeconds,
    acr_values: [...acrValues],
    ui_locales: [...uiLocales],
    ...links({ self, answer: `${self}/answer` }),
  };
}

const depsOf = ({ db, clock, macs, configuration, sleep }: ManagementDeps) => ({
  externalSignIns: externalSignInStore(db, clock, macs),
  configuration,
  sleep,
});

export const signIn = resource('/sign-ins/{reference}', 'a sign-in', params, (method) => ({
  GET: method({
    summary: 'The request of a delegated sign-in, for the application that authenticates the end-user.',
    answer: shape,
    run: async (deps, { params: { reference } }) => {
      const stored = await findDelegatedSignIn(depsOf(deps), reference);
      if (stored === null) return notFound('sign-in');
      const { clientId } = stored.signIn.requested;
      const client = clientId === null ? null : await findClient(deps.db, deps.macs, clientId);
      return found(documentOf(deps, reference, stored.signIn, client));
    },
  }),
}));

const MAX_METHODS = 10;
const method8176 = z.string().regex(/^[\x21-\x7e]{1,32}$/);

const body = z.strictObject({
  sub: sub.optional(),
  username: z.string().min(1).max(256).optional(),
  claims: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The username of a just-in-time user, where delegated-sign-in.yaml registers them.'),
  amr: z
    .array(method8176)
    .min(1)
    .max(MAX_METHODS)
    .optional()
    .describe('How the end-user signed in (RFC 8176): `pwd`, `otp`, `mfa` where there were several factors …'),
  acr: z.enum(AUTHENTICATION_CLASSES).optional().describe('Not higher than `amr` shows.'),
  auth_time: z.int().min(0).max(253_402_300_799).optional().describe('When, in seconds since 1970.'),
  denied: z
    .enum(['access_denied', 'login_failed'])
    .optional()
    .describe('Instead of all others: the end-user did not want to sign in, or could not.'),
});
const answerShape = z
  .object({
    state: z.enum(['answered', 'denied']),
    return_to: z.string().describe('Where the application sends the browser now.'),
    _links: z.object({ self: link }),
  })
  .meta({ id: 'SignInAnswer' });

export const signInAnswer = resource('/sign-ins/{reference}/answer', 'the answer to a sign-in', params, (method) => ({
  PUT: method({
    summary: 'Answers a delegated sign-in with the end-user, or denies it. A sign-in takes one answer.',
    body,
    example: { username: 'ada', amr: ['pwd'], auth_time: 1_893_456_000 },
    answer: answerShape,
    secret: true,
    rejects: ['sign_in_ended', 'end_user_ended', 'end_user_unknown'],
    run: answer,
  }),
}));

async function answer(
  deps: ManagementDeps,
  {
    params: { reference },
    body: sent,
    actor,
  }: {
    params: { reference: string };
    body: z.output<typeof body>;
    actor: Parameters<typeof answerDelegatedSignIn>[1]['actor'];
  },
): Promise<Answer> {
  const read = readAnswer(sent);
  if (read.kind === 'problem') return read;
  const outcome = await answerDelegatedSignIn(depsOf(deps), {
    reference,
    actor,
    newUserId: deps.random.uuid(),
    answer: read,
  });
  return answerTo(deps, reference, outcome);
}

export function answerTo(
  { issuer }: Pick<ManagementDeps, 'issuer'>,
  reference: string,
  outcome: DelegatedAnswered,
): Answer {
  switch (outcome.kind) {
    case 'unknown':
      return notFound('sign-in');
    case 'inFuture':
      return refusedField('auth_time', 'Expected an instant of the past, found one of the future.');
    case 'tooOld':
      return refusedField(
        'auth_time',
        'Expected a sign-in that is recent enough for the client ("max_age", or "prompt" with "login").',
      );
    case 'usernameIsReserved':
      return refusedField('username', 'Expected a username without a role in operators.yaml for a new end-user.');
    case 'rejected':
      return rejected(outcome.reason);
    case 'done': {
      const state = outcome.row.signIn.state === 'denied' ? 'denied' : 'answered';
      const self = addressOf(issuer, 'sign-ins', reference, 'answer');
      return found({ state, return_to: returnAddress(issuer, reference), ...links({ self }) });
    }
  }
}

export function readAnswer(sent: z.output<typeof body>): DelegatedAnswer | Problem {
  const { denied, sub: id, username, claims, amr, acr, auth_time: authTime } = sent;
  if (denied !== undefined) {
    const isAlone = Object.values(sent).filter((value) => value !== undefined).length === 1;
    return isAlone
      ? { kind: 'denied', reason: denied }
      : refusedField('denied', 'Expected no other member beside "denied".');
  }
  if (amr === undefined) return refusedField('amr', 'Expected the methods of the sign-in (RFC 8176), found nothing.');
  if (authTime === undefined) return refusedField('auth_time', 'Expected seconds since 1970, found nothing.');
  if ((id === undefined) === (username === undefined)) {
    return refusedField('sub', 'Expected either "sub" or "username", and not both.');
  }
  if (claims !== undefined && username === undefined) {
    return refusedField('claims', 'Expected no claims with "sub": only a just-in-time user gets them, by "username".');
  }
  if (acr !== undefined && !satisfies(authenticationClassOf(amr), acr)) {
    return refusedField('acr', `Expected at most ${authenticationClassOf(amr)}, the class that "amr" shows.`);
  }
  if (id !== undefined) return { kind: 'signedIn', who: { sub: id }, amr, authTime };
  const name = acceptableUsername(username);
  if (name === null) return refusedField('username', 'Expected 1 to 256 characters without control characters.');
  const kept = acceptableClaims(claims ?? {});
  const lost = Object.keys(claims ?? {}).filter((claim) => !(claim in kept));
  if (lost.length > 0) {
    return refusedFields(
      lost.map((claim) => ({ field: `claims.${claim}`, detail: 'Expected a claim that an end-user can have.' })),
    );
  }
  return { kind: 'signedIn', who: { username: name, claims: kept }, amr, authTime };
}

const REJECTED: Readonly<Partial<Record<ExternalSignInRejectReason, readonly [ProblemReason, string]>>> = {
  external_sign_in_expired: ['sign_in_ended', 'It took too long: the end-user has to begin again.'],
  external_sign_in_answered: ['sign_in_ended', 'It has been answered already, and the answer stays.'],
  external_sign_in_denied: ['sign_in_ended', 'It was denied, and that stays.'],
  external_sign_in_used: ['sign_in_ended', 'The reference was used for a sign-in, and is invalid.'],
  user_ended: ['end_user_ended', 'The end-user is disabled or deleted.'],
  nobody_linked: [
    'end_user_unknown',
    'The end-user does not exist, and delegated-sign-in.yaml does not register just-in-time users.',
  ],
};

function rejected(reason: ExternalSignInRejectReason): Problem {
  const [name, detail] = REJECTED[reason] ?? ['sign_in_ended', 'It cannot be answered.'];
  return problem(name, `${detail} Nothing was changed.`);
}
