/**
 * The body for an endpoint: the JSON of Standard Webhooks, or a Security Event Token, in the endpoint's current format.
 * While the format stays, the body is the same on every attempt, except for its signature.
 */
import { shownAddress, type WebhookReceiver } from '../../policies/webhooks-schema.ts';
import type { SecurityEventClaims } from '../crypto/security-event-token.ts';
import type { WebhookDelivery } from '../lifecycles/webhook-delivery/entity.ts';
import { securityEventOf } from './security-event.ts';

export type WebhookBody = { readonly contentType: string; readonly text: string };

export type BodyDeps = {
  readonly issuer: string;
  /** @throws Unavailable */
  readonly sign: (claims: SecurityEventClaims) => string | Promise<string>;
};

type Event = Pick<WebhookDelivery, 'eventId' | 'eventType' | 'data' | 'occurredAt' | 'createdAt'>;

export async function bodyOf(
  { format, audience, url }: Pick<WebhookReceiver, 'format' | 'audience' | 'url'>,
  event: Event,
  { issuer, sign }: BodyDeps,
): Promise<WebhookBody> {
  if (format === 'set') {
    const claims = securityEventOf(event, { issuer, audience: audience ?? shownAddress(url) });
    return { contentType: 'application/secevent+jwt', text: await sign(claims) };
  }
  const { eventType: type, occurredAt, data } = event;
  return { contentType: 'application/json', text: JSON.stringify({ type, timestamp: occurredAt.toISOString(), data }) };
}
