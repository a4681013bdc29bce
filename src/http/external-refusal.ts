/** The page for a federated or delegated sign-in that failed: the reason, and a link that leads on. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pathUnder } from '../oauth/urls.ts';
import type { DelegatedRefusal } from '../people/delegated/delegated-sign-in.ts';
import type { UpstreamRefusal } from '../people/upstream/upstream-sign-in.ts';
import { interactionPath } from './interaction-outcome.ts';
import { lookOf } from './look.ts';
import { setLogLine } from './request-log.ts';
import { sendPage } from './security-headers.ts';
import { type ExternalProblem, externalProblemPage } from './views/external-sign-in.ts';

type Reason = UpstreamRefusal['reason'] | DelegatedRefusal['reason'];

export type Refused = {
  readonly kind: 'refused';
  readonly reason: Reason;
  readonly askedBy: UpstreamRefusal['askedBy'];
  readonly purpose?: UpstreamRefusal['purpose'];
  readonly code?: string | null;
  readonly provider?: string | null;
  readonly retryAfterSeconds?: number | null;
  readonly pendingLink?: UpstreamRefusal['pendingLink'];
};

type Shown = { readonly status: 400 | 403 | 404 | 429 | 502 | 503; readonly problem: ExternalProblem };

const PAGES: Readonly<Record<Reason, Shown>> = {
  external_sign_in_unknown: { status: 404, problem: 'unknown' },
  external_sign_in_expired: { status: 400, problem: 'expired' },
  external_sign_in_unanswered: { status: 400, problem: 'unanswered' },
  external_sign_in_answered: { status: 400, problem: 'answered' },
  external_sign_in_used: { status: 400, problem: 'answered' },
  external_sign_in_overtaken: { status: 400, problem: 'overtaken' },
  external_sign_in_denied: { status: 403, problem: 'denied' },
  another_browser: { status: 403, problem: 'anotherBrowser' },
  not_admitted: { status: 403, problem: 'notAdmitted' },
  address_known: { status: 403, problem: 'addressKnown' },
  nobody_linked: { status: 403, problem: 'nobodyLinked' },
  identity_linked_elsewhere: { status: 403, problem: 'linkedElsewhere' },
  user_ended: { status: 403, problem: 'userEnded' },
  sign_in_too_old: { status: 403, problem: 'tooOld' },
  upstream_unreachable: { status: 503, problem: 'unreachable' },
  upstream_answer_invalid: { status: 502, problem: 'invalid' },
  upstream_refused: { status: 502, problem: 'refused' },
  upstream_unknown: { status: 404, problem: 'off' },
  delegated_sign_in_off: { status: 404, problem: 'off' },
  throttled: { status: 429, problem: 'throttled' },
};

export const externalRefusal =
  (issuer: string) =>
  async (request: FastifyRequest, reply: FastifyReply, refused: Refused): Promise<FastifyReply> => {
    const { reason, askedBy, purpose = 'signIn', code = null, provider = null, retryAfterSeconds = null } = refused;
    const { status, problem } = PAGES[reason];
    const facts = { reason, interactionId: askedBy?.id ?? null, where: provider, code, address: request.ip };
    setLogLine(request, 'refused', facts, status === 502 || status === 503 ? 'warn' : 'info');
    if (retryAfterSeconds !== null) reply.header('retry-after', String(retryAfterSeconds));
    return sendPage(
      reply,
      status,
      externalProblemPage(await lookOf(request), problem, wayOn(issuer, refused, purpose)),
    );
  };

/** The form, even where the page usually redirects immediately. Another browser learns nothing about the request. */
function wayOn(issuer: string, { reason, askedBy }: Refused, purpose: UpstreamRefusal['purpose']) {
  if (reason === 'another_browser') return null;
  if (purpose === 'link') return { href: pathUnder(issuer, '/account/linked-identities'), isAccount: true };
  if (askedBy === null) return { href: pathUnder(issuer, '/sign-in'), isAccount: false };
  const named = { interactionId: askedBy.id, sealed: askedBy.sealed };
  return { href: interactionPath(issuer, named, '?account=another'), isAccount: false };
}
