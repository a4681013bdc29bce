/** Events in the terms of OpenID CAEP 1.0 and RISC 1.0, about subjects in those of RFC 9493 and Shared Signals 1.0 §3. */
import { securityEventNamed } from '../../policies/webhooks-schema.ts';
import type { SecurityEventClaims } from '../crypto/security-event-token.ts';
import type { WebhookData } from '../lifecycles/webhook-delivery/attempt.ts';
import { TEST_EVENT, type WebhookDelivery, webhookIdOf } from '../lifecycles/webhook-delivery/entity.ts';
import { urlUnder } from '../oauth/urls.ts';

const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
const RISC = 'https://schemas.openid.net/secevent/risc/event-type/';
/** Shared Signals 1.0 §8.1.4: a test of an endpoint, without an event. */
const VERIFICATION = 'https://schemas.openid.net/secevent/ssf/event-type/verification';

/** CAEP §3.3.1. The server does not know whether a passkey leaves its device, so CAEP has no value for it. */
const credential = (change: string, { kind }: WebhookData) => ({
  credential_type: kind === 'authenticator_app' ? 'app' : String(kind).replaceAll('_', '-'),
  change_type: change,
});

type Event = Pick<WebhookDelivery, 'eventId' | 'eventType' | 'data' | 'occurredAt' | 'createdAt'>;

/**
 * The schema of webhooks.yaml admits no event without a term of CAEP or RISC. Such an event can still wait for an
 * endpoint that had another format. Its type is then a URI of this server, with the data of the event.
 */
export function securityEventOf(
  { eventId, eventType, data, occurredAt, createdAt }: Event,
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
): SecurityEventClaims {
  const claims = { iss: issuer, aud: audience, jti: webhookIdOf({ eventId }), iat: secondsOf(createdAt) };
  if (eventType === TEST_EVENT) {
    return { ...claims, sub_id: { format: 'opaque', id: audience }, events: { [VERIFICATION]: {} } };
  }
  const named = securityEventNamed(eventType);
  if (named === null) {
    const uri = urlUnder(issuer, `/webhooks/event-type/${encodeURIComponent(eventType)}`);
    return { ...claims, sub_id: subjectOf(issuer, data), events: { [uri]: { ...data, ...happened(occurredAt) } } };
  }
  // An event of RISC has no such members.
  if ('risc' in named) return { ...claims, sub_id: subjectOf(issuer, data), events: { [`${RISC}${named.risc}`]: {} } };
  const changed = named.change === undefined ? {} : credential(named.change, data);
  const said = { ...changed, ...circumstances(data, occurredAt) };
  return { ...claims, sub_id: subjectOf(issuer, data), events: { [`${CAEP}${named.caep}`]: said } };
}

const happened = (occurredAt: Date) => ({ event_timestamp: secondsOf(occurredAt) });

/** CAEP §2. */
const circumstances = ({ initiated_by: who, reason }: WebhookData, occurredAt: Date) => ({
  ...happened(occurredAt),
  ...(who !== undefined && { initiating_entity: who }),
  ...(typeof reason === 'string' && { reason_admin: { en: reason } }),
});

const opaque = (id: unknown) => ({ format: 'opaque', id });

/** The end-user, and the session or chain that has ended (Shared Signals 1.0 §3.3). */
function subjectOf(iss: string, { sub, sid, client_id: clientId, grant_id: grantId, kid }: WebhookData): object {
  const user = sub === undefined ? null : { format: 'iss_sub', iss, sub };
  const session = sid ?? grantId;
  if (session === undefined) return user ?? opaque(clientId ?? kid ?? 'unknown');
  return {
    format: 'complex',
    ...(user && { user }),
    session: opaque(session),
    ...(clientId !== undefined && { application: opaque(clientId) }),
  };
}

const secondsOf = (instant: Date): number => Math.floor(instant.getTime() / 1000);
