/** The schema of `webhooks.yaml`: the endpoints of other systems that receive events. */
import { z } from 'zod';
import { expectations, expecting, expectingSecret } from './expectations.ts';

/** The name of the event in a Security Event Token (OpenID CAEP 1.0 or OpenID RISC 1.0), with the change of CAEP's `credential-change`. */
type SecurityEvent =
  | { readonly caep: string; readonly change?: 'create' | 'revoke' | 'update' }
  | { readonly risc: string };

/** Events, by the name that endpoints see. `told` in src/lifecycles/<lifecycle>/table.ts has their sources. Null: neither standard has the event. */
const EVENTS = {
  'session.started': { caep: 'session-established' },
  'session.ended': { caep: 'session-revoked' },
  'user.created': null,
  'user.changed': null,
  'user.disabled': { risc: 'account-disabled' },
  'user.enabled': { risc: 'account-enabled' },
  'user.deleted': { risc: 'account-purged' },
  'user.credential_changed': { caep: 'credential-change', change: 'update' },
  'factor.added': { caep: 'credential-change', change: 'create' },
  'factor.removed': { caep: 'credential-change', change: 'revoke' },
  'factor.recovery_code_used': { caep: 'credential-change', change: 'revoke' },
  'linked_identity.added': null,
  'linked_identity.removed': null,
  // A chain is the session of its client.
  'grant.revoked': { caep: 'session-revoked' },
  'grant.reuse_detected': { caep: 'session-revoked' },
  'client.created': null,
  'client.changed': null,
  'client.secret_rotated': null,
  'client.secret_removed': null,
  'client.deleted': null,
  'signing_key.published': null,
  'signing_key.activated': null,
  'signing_key.revoked': null,
} as const satisfies Readonly<Record<string, SecurityEvent | null>>;
export type WebhookEventName = keyof typeof EVENTS;
export const WEBHOOK_EVENTS = Object.keys(EVENTS) as readonly WebhookEventName[];

/** Each stands for the events whose names begin with it. */
export const WEBHOOK_GROUPS: readonly string[] = [...new Set(WEBHOOK_EVENTS.map((event) => event.replace(/\..*/, '')))];

/** Null: neither standard has the event. */
export const securityEventNamed = (event: string): SecurityEvent | null =>
  Object.hasOwn(EVENTS, event) ? EVENTS[event as WebhookEventName] : null;
const isSecurityEvent = (event: string): boolean => securityEventNamed(event) !== null;
export const SECURITY_EVENTS = WEBHOOK_EVENTS.filter(isSecurityEvent);

export const eventsNamed = (names: readonly string[]): ReadonlySet<WebhookEventName> =>
  new Set(WEBHOOK_EVENTS.filter((event) => names.includes(event) || names.includes(event.replace(/\..*/, ''))));

export const RECEIVER_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

const isLoopback = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

function isReceiverAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** For lists, logs and tokens. The query may contain a secret of the endpoint. */
export const shownAddress = (url: string): string => url.replace(/[?#].*$/s, '');

const receiver = z
  .strictObject({
    name: expecting(z.string().regex(RECEIVER_NAME), 'lower-case letters, digits and "-"').describe(
      'The name of the endpoint in lists, metrics and the log. Another name is another endpoint.',
    ),
    url: expectingSecret(
      z.string().max(1024).refine(isReceiverAddress),
      'an https address without user, password and fragment, or http to this machine',
    ).describe(
      'The URL that receives events by POST. The server does not follow redirects, and lists do not show the query.',
    ),
    events: z
      .array(z.enum([...WEBHOOK_GROUPS, ...WEBHOOK_EVENTS]))
      .min(1)
      .max(100)
      .describe('Names of events, or of groups: "session" stands for session.started and session.ended.'),
    format: z
      .enum(['standard', 'set'])
      .default('standard')
      .describe('standard: JSON after Standard Webhooks. set: a Security Event Token (RFC 8417).'),
    audience: expecting(z.string().min(1).max(512), '1 to 512 characters')
      .optional()
      .describe('Of format set: `aud` of its tokens. Default: the url without its query.'),
    secret: z
      .never()
      .register(expectations, {
        expected: 'no secret in this file: secretEnvironment names the variable that holds it, or secretFile the file',
        secret: true,
      })
      .optional()
      .describe('Never in this file: use secretEnvironment or secretFile.'),
    secretEnvironment: expectingSecret(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
      'the name of an environment variable',
    )
      .optional()
      .describe('The environment variable that holds the secret (whsec_…), or two while it is changed.'),
    secretFile: expectingSecret(
      z
        .string()
        .max(1024)
        .regex(/^(\/|[A-Za-z]:[\\/])/),
      'the absolute path of a file',
    )
      .optional()
      .describe(
        'Instead of secretEnvironment: the file that holds the secret. A new endpoint with a secretFile needs no restart.',
      ),
    allowPrivateNetwork: z
      .boolean()
      .default(false)
      .describe('true: its address may be private, such as 10.0.0.5 or this machine.'),
  })
  .refine(({ format, events }) => format === 'standard' || [...eventsNamed(events)].every(isSecurityEvent), {
    path: ['events'],
    message: `with format set: ${SECURITY_EVENTS.join(', ')}, or the groups session, factor, grant`,
  })
  .refine(({ format, audience }) => format === 'set' || audience === undefined, {
    path: ['audience'],
    message: 'nothing, unless format is set',
  })
  .refine((one) => (one.secretEnvironment === undefined) !== (one.secretFile === undefined), {
    path: ['secretEnvironment'],
    message: 'secretEnvironment or secretFile, and not both',
  })
  .refine(({ url, allowPrivateNetwork }) => url.startsWith('https:') || allowPrivateNetwork, {
    path: ['allowPrivateNetwork'],
    message: 'true, for an http address of this machine',
  });

/** `webhooks.yaml`. Without the file, the server sends no events. */
export const webhooksSchema = z.strictObject({
  receivers: z
    .array(receiver)
    .max(50)
    .describe('The endpoints that receive events.')
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'each name once'),
  maxAttempts: z
    .int()
    .min(1)
    .max(50)
    .default(12)
    .describe('After this many failed attempts, the server abandons an event.'),
  giveUpAfterSeconds: z
    .int()
    .min(60)
    .max(1_209_600)
    .default(345_600)
    .describe('The server abandons an older event, even if attempts are left.'),
  timeoutSeconds: z.int().min(1).max(60).default(15).describe('The timeout of an attempt.'),
  keptSeconds: z
    .int()
    .min(3600)
    .max(7_776_000)
    .default(2_592_000)
    .describe('How long the server lists deliveries, and can redeliver them, after their success or abandonment.'),
});

export type WebhooksFile = z.output<typeof webhooksSchema>;
export type WebhookReceiver = z.output<typeof receiver>;
export const NO_WEBHOOKS: WebhooksFile = webhooksSchema.parse({ receivers: [] });
