/**
 * The schema of a scenario file. The JSON Schema beside the shipped files is generated from it, so that editors complete and explain
 * every key. Rules between keys are in read-scenario.ts.
 */
import { z } from 'zod';
import type { RejectReason } from '../../../machines/unions.ts';
import { policySchema, signInSchema } from '../../../policies/schema.ts';
import type { UnavailableReason } from '../../engine/errors.ts';
import type { TokenReason } from '../../oauth/refusals.ts';
import {
  ACTORS,
  BROWSER_ACTIONS,
  FATES,
  LEVELS,
  MOMENTS,
  OPERATOR_ACTIONS,
  RESOURCES,
  SCOPES,
  wordsIn,
} from './vocabulary.ts';

/** Every reason that the presenter of a code or token can reach; the others arise before a machine decides. */
const TOKENS_REFUSED = [
  'client_mismatch',
  'redirect_uri_mismatch',
  'code_verifier_mismatch',
  'authorization_code_expired',
  'authorization_code_reused',
  'refresh_token_expired',
  'refresh_token_reused',
  'newer_token_issued',
  'dpop_key_mismatch',
  'scope_exceeds_grant',
  'resource_exceeds_grant',
  'grant_revoked',
  'client_ended',
  'client_unknown',
  'user_ended',
  'server_epoch_raised',
] as const satisfies readonly TokenReason[];

/** Every reason that a person in a browser can reach. */
const PEOPLE_REFUSED = [
  'second_factor_required',
  'second_factor_missing',
  'session_too_old',
  'session_idle',
  'signed_out',
  'signed_in_again',
  'ended_by_user',
  'code_mismatch',
  'code_reused',
  'factor_removed',
  'factor_is_demanded',
  'factor_not_proven',
  'passkey_unknown',
  'signature_counter_fell_back',
  'sign_in_required',
  'factor_required',
  'user_changed',
  'another_browser',
  'nobody_linked',
  'not_admitted',
  'external_sign_in_used',
  'external_sign_in_answered',
  'external_sign_in_expired',
  'external_sign_in_overtaken',
  'identity_linked_elsewhere',
  'last_way_to_sign_in',
  'link_expired',
  'link_used',
  'link_superseded',
  'code_used',
  'code_spent',
  'code_superseded',
  'code_expired',
  'password_changed',
  'address_mismatch',
  'password_from_mail',
  'password_not_proven',
  'pushed_request_used',
  'pushed_request_expired',
] as const satisfies readonly RejectReason[];

/** Refusals of the server before it asks a machine. */
const BEFORE_ANY_MACHINE = ['credentials_mismatch', 'session_unknown', 'recent_sign_in_required'] as const;

export const REFUSED = [...TOKENS_REFUSED, ...PEOPLE_REFUSED, ...BEFORE_ANY_MACHINE] as const;

const UNAVAILABLE = ['store_unavailable', 'commit_unknown'] as const satisfies readonly UnavailableReason[];

/** Printed to terminals and pages: no control characters, and none that reverse the direction of text. */
const text = (max: number, description: string) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u, 'a text of one line, without control characters')
    .describe(description);

const name = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,19}$/, 'a name as A or first-token: up to 20 letters, digits, "-", "_"');

const step = {
  wait: z
    .string()
    .regex(/^\d{1,9} ?(ms|s|m|h|d)$/, 'a time as 30s, 5m, 2h or 30d')
    .optional()
    .describe('How long it takes until then: 30s, 5m, 2h, 30d. May stand alone.'),
  until: z.enum(wordsIn(MOMENTS)).optional().describe('Time passes until this moment; "just" is one millisecond.'),
  who: z
    .enum(ACTORS)
    .optional()
    .describe(
      'A thief holds everything that has left the server, speaks as the client, and has a browser; another client speaks as itself.',
    ),
  in: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9 _-]{0,29}$/, 'a short name as tab 1 or process B')
    .optional()
    .describe('Which tab, process or device of it, where there are several; of a person, which browser.'),
  does: z
    .enum(['approve', 'revoke', ...wordsIn(BROWSER_ACTIONS), ...wordsIn(OPERATOR_ACTIONS)])
    .optional()
    .describe('The action of the resource owner, of a thief in a browser, of the client, or of the operator.'),
  presents: name
    .optional()
    .describe(
      'The code ("code"), the password ("password"), or a credential that "gets" has named: tokens, a cookie, a passkey, a code of an app, a recovery code, an answer of the identity provider, a mail with a link, a pushed request.',
    ),
  reads: name.optional().describe('An authenticator app, by its name: the code that it shows now.'),
  removes: name.optional().describe('A passkey, an app, or the linked account at the identity provider, by its name.'),
  revokes: name.optional().describe('Gives tokens back (RFC 7009), by their name.'),
  with: z
    .strictObject({
      verifier: z.enum(['right', 'wrong']).optional().describe('The code_verifier. Default: right.'),
      redirectUri: z.enum(['right', 'wrong', 'none']).optional().describe('Sent with the code. Default: none.'),
      key: z
        .enum(['right', 'wrong'])
        .optional()
        .describe(
          'The key of the DPoP proof, under a policy with provenRetrySeconds: that of the client (right), or another. Default: a client has it, a thief has none.',
        ),
      scope: z.array(z.enum(SCOPES)).min(1).optional().describe('At the approval: all that is granted. Default: both.'),
      resources: z.array(z.enum(RESOURCES)).min(1).optional().describe('At the approval, default: api.'),
      level: z
        .enum(LEVELS)
        .optional()
        .describe('At the approval: how strong a sign-in the client asks for (acr_values). Default: any.'),
      password: z
        .enum(['right', 'wrong', 'old'])
        .optional()
        .describe('Which password is typed. Old: that before the newest. Default: right.'),
    })
    .optional()
    .describe('The parameters of the request.'),
  but: z.enum(wordsIn(FATES)).optional().describe('The fault while the server answers.'),
  gets: name
    .optional()
    .describe('Expected: tokens, a cookie, or another result of the step, which later steps call by this name.'),
  refused: z.enum(REFUSED).optional().describe('Expected: a refusal with this reason (of the log; clients see less).'),
  unavailable: z.enum(UNAVAILABLE).optional().describe('Expected: 503, with this reason in the log.'),
  chain: z
    .enum(['alive', 'dead'])
    .optional()
    .describe('Expected afterwards. Alive: its newest credential would be exchanged for tokens.'),
  session: z
    .enum(['active', 'awaitingSecondFactor', 'ended'])
    .optional()
    .describe('Expected afterwards, of the session whose cookie this browser has.'),
};

const MAX_STEPS = 100;
const MAX_AT_ONCE = 8;

export const stepSchema = z.strictObject(step);
export type StepRecord = z.infer<typeof stepSchema>;

const { refreshTokensNeedOfflineAccess: _, ...lifetimes } = policySchema.shape;

/** The keys of the policy of sign-ins that a scenario may set. */
export const SIGN_IN_KEYS = [
  'sessionLifetimeSeconds',
  'sessionIdleLifetimeSeconds',
  'secondFactor',
  'passkeyAfterPassword',
  'recentSignInSeconds',
  'trustedBrowserLifetimeSeconds',
] as const;
const {
  sessionLifetimeSeconds,
  sessionIdleLifetimeSeconds,
  passkeyAfterPassword,
  recentSignInSeconds,
  trustedBrowserLifetimeSeconds,
} = signInSchema.shape;

export const scenarioSchema = z.strictObject({
  title: text(80, 'The title of the scenario.'),
  says: text(600, 'The subject of the scenario, in a sentence or two.'),
  policyFile: z.string().min(1).max(400).optional().describe('A policy, by its path from this file. Default: default.'),
  policy: z
    .strictObject(
      Object.fromEntries(Object.entries(lifetimes).map(([key, schema]) => [key, schema.optional()])) as {
        [Key in keyof typeof lifetimes]: z.ZodOptional<(typeof lifetimes)[Key]>;
      },
    )
    .optional()
    .describe('The differences from that policy.'),
  signIn: z
    .strictObject({
      sessionLifetimeSeconds: sessionLifetimeSeconds.optional(),
      sessionIdleLifetimeSeconds,
      secondFactor: z.enum(['nobody', 'everyone']).optional().describe('The end-users who need a second factor.'),
      passkeyAfterPassword: passkeyAfterPassword.unwrap().optional(),
      recentSignInSeconds: recentSignInSeconds.unwrap().optional(),
      trustedBrowserLifetimeSeconds: trustedBrowserLifetimeSeconds.unwrap().optional(),
    })
    .optional()
    .describe('The differences from the policy of sign-ins.'),
  steps: z
    .array(
      z.strictObject({
        ...step,
        together: z
          .array(stepSchema)
          .min(2)
          .max(MAX_AT_ONCE)
          .optional()
          .describe('Steps that run concurrently; "order" says how they interleave.'),
        order: z
          .array(
            z
              .string()
              .regex(/^[1-8] (loads|commits|happens)$/, 'as "1 loads", "2 commits" or, of the operator, "3 happens"'),
          )
          .min(2)
          .max(3 * MAX_AT_ONCE)
          .optional()
          .describe('"1 loads", "2 loads", "1 commits" … Default: all load, then all commit, in the order given.'),
      }),
    )
    .min(1)
    .max(MAX_STEPS)
    .describe('The steps, one after the other. The first one is the approval, or a sign-in.'),
});

export type ScenarioRecord = z.infer<typeof scenarioSchema>;
