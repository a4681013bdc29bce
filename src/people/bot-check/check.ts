/** Asks the challenge service of `bot-check.yaml` whether a person filled a form. */
import type { BotCheckForm, BotCheckPolicy } from '../../../policies/bot-check-schema.ts';
import { jsonIn } from '../../oauth/sent-text.ts';
import type { BotRefusal } from '../../protocol/sign-in.ts';
import { CHALLENGE_SERVICES } from './services.ts';

export type { BotCheckForm };

export type BotCheckDeps = {
  readonly configuration: () => { readonly botCheck: BotCheckPolicy | null };
  /** Bounded in time and size. It rejects when the service does not answer. */
  readonly upstreamFetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Null: not set. */
  readonly secretNamed: (name: string) => Promise<string | null>;
};

/**
 * `bot_check_missing`: the form has no answer of the widget, since the browser ran no script or a program sent it.
 * `bot_check_failed`: the service refuses the answer, or has verified it before. `bot_check_unavailable`: the service does
 * not answer, and the policy refuses.
 */
export type BotCheckRefusal = BotRefusal;

export type BotCheckOutcome =
  /** `unchecked`: the service does not answer, and the policy admits. */
  | { readonly kind: 'admitted'; readonly unchecked: boolean }
  | { readonly kind: 'refused'; readonly reason: BotCheckRefusal };

const ADMITTED = { kind: 'admitted', unchecked: false } as const;

/** The policy of this form. Null: the form asks no service. */
export function botCheckOf(
  { configuration }: Pick<BotCheckDeps, 'configuration'>,
  form: BotCheckForm,
): BotCheckPolicy | null {
  const { botCheck } = configuration();
  return botCheck?.forms.includes(form) ? botCheck : null;
}

/** @param answerIn reads a field of the sent form. Null: not sent. */
export async function checkForBots(
  deps: BotCheckDeps,
  form: BotCheckForm,
  answerIn: (field: string) => string | null,
): Promise<BotCheckOutcome> {
  const policy = botCheckOf(deps, form);
  if (policy === null) return ADMITTED;
  const answer = answerIn(CHALLENGE_SERVICES[policy.service].field) ?? '';
  if (answer === '') return { kind: 'refused', reason: 'bot_check_missing' };
  const isPerson = await verify(deps, policy, answer);
  if (isPerson === null && policy.whenUnavailable === 'admit') return { kind: 'admitted', unchecked: true };
  if (isPerson === null) return { kind: 'refused', reason: 'bot_check_unavailable' };
  return isPerson ? ADMITTED : { kind: 'refused', reason: 'bot_check_failed' };
}

/** @returns null: no usable response from the service. */
async function verify(deps: BotCheckDeps, policy: BotCheckPolicy, answer: string): Promise<boolean | null> {
  const service = CHALLENGE_SERVICES[policy.service];
  const secret = await deps.secretNamed(policy.secretEnvironment);
  if (!secret) return null;
  const { siteKey, endpoint = service.endpoint } = policy;
  const sent = deps.upstreamFetch(endpoint, service.verification({ siteKey, secret, answer }));
  const response = await sent.catch(() => null);
  return response === null ? null : successIn(response.status, await response.text());
}

/** A service that refuses our own key says so with a status of 401 or 403, or fails: that is no fault of the person. */
function successIn(status: number, text: string): boolean | null {
  if (status >= 500 || status === 401 || status === 403 || status === 429) return null;
  const said = jsonIn(text);
  if (typeof said !== 'object' || said === null || !('success' in said)) return null;
  return said.success === true ? true : isOurFault(said) ? null : false;
}

/** hCaptcha and Turnstile answer 200 where the secret is wrong. */
const OUR_FAULTS = ['missing-input-secret', 'invalid-input-secret', 'internal-error', 'sitekey-secret-mismatch'];

function isOurFault(said: object): boolean {
  const codes: unknown = 'error-codes' in said ? said['error-codes'] : [];
  return Array.isArray(codes) && codes.some((code) => OUR_FAULTS.includes(String(code)));
}
