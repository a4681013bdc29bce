/** Events in the words of OpenID CAEP 1.0 and OpenID RISC 1.0, about subjects in those of RFC 9493 and Shared Signals 1.0 §3. */
import { isSecurityEvent, type SecurityEventName } from '../../policies/webhooks-schema.ts';
import type { SecurityEventClaims } from '../crypto/security-event-token.ts';
import {
  TEST_EVENT,
  type WebhookData,
  type WebhookDelivery,
  webhookIdOf,
} from '../lifecycles/webhook-delivery/entity.ts';
import { urlUnder } from '../oauth/urls.ts';

const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
const RISC = 'https://schemas.openid.net/secevent/risc/event-type/';
/** Shared Signals 1.0 §8.1.4: nothing happened, but that a receiver is tried. */
const VERIFICATION = 'https://schemas.openid.net/secevent/ssf/event-type/verification';

/** CAEP §3.3.1; an event of RISC has no such members. */
const credential = (change: 'create' | 'revoke' | 'update') => (data: WebhookData) => ({
  credential_type: CREDENTIAL_TYPES[String(data['kind'])] ?? String(data['kind']),
  change_type: change,
});
/** The last two are none of CAEP's: whether a passkey leaves its device is not known here. */
const CREDENTIAL_TYPES: Readonly<Record<string, string | undefined>> = {
  password: 'password',
  authenticator_app: 'app',
  passkey: 'passkey',
  recovery_code: 'recovery-code',
};

type Meaning = { readonly uri: string; readonly members?: (data: WebhookData) => object };

const MEANINGS: Readonly<Record<SecurityEventName, Meaning>> = {
  'session.started': { uri: `${CAEP}session-established` },
  'session.ended': { uri: `${CAEP}session-revoked` },
  // A chain is the session of its client.
  'grant.revoked': { uri: `${CAEP}session-revoked` },
  'grant.reuse_detected': { uri: `${CAEP}session-revoked` },
  'user.credential_changed': { uri: `${CAEP}credential-change`, members: credential('update') },
  'factor.added': { uri: `${CAEP}credential-change`, members: credential('create') },
  'factor.removed': { uri: `${CAEP}credential-change`, members: credential('revoke') },
  'factor.recovery_code_used': { uri: `${CAEP}credential-change`, members: credential('revoke') },
  'user.disabled': { uri: `${RISC}account-disabled` },
  'user.enabled': { uri: `${RISC}account-enabled` },
  'user.deleted': { uri: `${RISC}account-purged` },
};

type Event = Pick<WebhookDelivery, 'eventId' | 'eventType' | 'data' | 'occurredAt' | 'createdAt'>;

/**
 * The schema of webhooks.yaml admits no event without words of CAEP or RISC. Such an event can still wait for a receiver that had another
 * format: then its type is a URI of this server, with what the event says.
 */
export function securityEventOf(
  { eventId, eventType, data, occurredAt, createdAt }: Event,
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
): SecurityEventClaims {
  const claims = { iss: issuer, aud: audience, jti: webhookIdOf({ eventId }), iat: secondsOf(createdAt) };
  if (eventType === TEST_EVENT) {
    return { ...claims, sub_id: { format: 'opaque', id: audience }, events: { [VERIFICATION]: {} } };
  }
  if (!isSecurityEvent(eventType)) {
    const uri = urlUnder(issuer, `/webhooks/event-type/${encodeURIComponent(eventType)}`);
    return { ...claims, sub_id: subjectOf(issuer, data), events: { [uri]: { ...data, ...happened(occurredAt) } } };
  }
  const { uri, members } = MEANINGS[eventType];
  const said = uri.startsWith(CAEP) ? { ...members?.(data), ...circumstances(data, occurredAt) } : {};
  return { ...claims, sub_id: subjectOf(issuer, data), events: { [uri]: said } };
}

const happened = (occurredAt: Date) => ({ event_timestamp: secondsOf(occurredAt) });

/** CAEP §2. */
const circumstances = ({ initiated_by: who, reason }: WebhookData, occurredAt: Date) => ({
  ...happened(occurredAt),
  ...(who !== undefined && { initiating_entity: who }),
  ...(typeof reason === 'string' && { reason_admin: { en: reason } }),
});

const opaque = (id: unknown) => ({ format: 'opaque', id });

/** The end-user; where a session or a chain has ended, which (Shared Signals 1.0 §3.3). */
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
