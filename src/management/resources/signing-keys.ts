/** The keys that sign tokens. Their private halves are never shown. */
import { z } from 'zod';
import type { SigningKeyPolicy } from '../../../policies/schema.ts';
import { keyLifetimes } from '../../config/key-lifetimes.ts';
import { BASE64URL } from '../../crypto/base64url.ts';
import { forecastOf } from '../../explanation/key-forecast.ts';
import { type KeyChange, requestRevocation, requestRotation } from '../../lifecycles/signing-key/lifecycle.ts';
import type { SigningKeyRow } from '../../model/signing-key.ts';
import { SIGNING_ALGORITHMS } from '../../oauth/signing-algorithms.ts';
import { addressOf, links } from '../addresses.ts';
import type { ManagementDeps } from '../deps.ts';
import { shownInstant } from '../instant.ts';
import { pageBody, pageOf, selfLink } from '../page.ts';
import { notFound, problem } from '../problem.ts';
import { created, done, found, resource } from '../resource.ts';

const params = { kid: z.string().max(128).regex(BASE64URL).describe('RFC 7638.') };

const shape = z
  .object({
    kid: z.string().describe('RFC 7638.'),
    alg: z.enum(SIGNING_ALGORITHMS),
    state: z.enum(['published', 'signing', 'retiring', 'retired']),
    since: shownInstant,
    next: z
      .object({ at: shownInstant, what: z.enum(['publishes', 'hands_over', 'signs', 'stops', 'retires']) })
      .nullable()
      .describe('The next scheduled change; null: none.'),
    reason: z.string().nullable().describe('Why it retired.'),
    _links: selfLink,
  })
  .meta({ id: 'SigningKey' });

const policyShape = z
  .object({
    algorithms: z.array(z.enum(SIGNING_ALGORITHMS)),
    published_before_signing_seconds: z.int(),
    jwks_max_age_seconds: z.int().describe('How long APIs may accept a key after its revocation.'),
  })
  .describe('The rotation settings of the current signing-keys.yaml.');

const policyDocument = (policy: SigningKeyPolicy): z.output<typeof policyShape> => ({
  algorithms: [...policy.algorithms],
  published_before_signing_seconds: policy.publishedBeforeSigningSeconds,
  jwks_max_age_seconds: policy.jwksMaxAgeSeconds,
});

const addressOfKey = (issuer: string, kid: string) => addressOf(issuer, 'signing-keys', kid);

async function keyDocuments({ issuer, configuration, signingKeys }: ManagementDeps): Promise<{ kid: string }[]> {
  const { keys } = await signingKeys.store.load();
  const { signingKeys: policy } = configuration();
  const ofToday = { algorithms: policy.algorithms, lifetimes: keyLifetimes(policy) };
  return keys.map((key: SigningKeyRow) => {
    const { since, next } = forecastOf(key, keys, ofToday);
    return {
      kid: key.kid,
      alg: key.alg,
      state: key.state,
      since: since.toISOString(),
      next: next && { at: next.at.toISOString(), what: next.what },
      reason: key.retiredReason,
      ...links({ self: addressOfKey(issuer, key.kid) }),
    };
  });
}

export const signingKeys = resource('/signing-keys', 'the signing keys', {}, (method) => ({
  GET: method({
    summary: 'The signing keys, with their state and their next change.',
    answer: pageOf(shape).extend({ policy: policyShape }),
    run: async (deps, { href }) => {
      const page = pageBody({ items: await keyDocuments(deps), next: null }, href);
      return found({ ...page, policy: policyDocument(deps.configuration().signingKeys) });
    },
  }),
}));

export const signingKey = resource('/signing-keys/{kid}', 'a signing key', params, (method) => ({
  GET: method({
    summary: 'One signing key.',
    answer: shape,
    run: async (deps, { params: { kid } }) => {
      const stored = (await keyDocuments(deps)).find((key) => key.kid === kid);
      return stored ? found(stored) : notFound('signing key');
    },
  }),
  DELETE: method({
    summary: 'Revokes the key immediately, after a leak. The successor of a signing key takes over.',
    run: async (deps, { params: { kid }, actor }) => {
      const changes = await requestRevocation(deps.signingKeys, kid, actor);
      if (changes === null) return notFound('signing key');
      await deps.keepKeys();
      return done;
    },
  }),
}));

const changeShape = z.object({
  kid: z.string(),
  alg: z.enum(SIGNING_ALGORITHMS),
  from: z.string().nullable(),
  to: z.string(),
  reason: z.string().nullable(),
});
const changeDocument = ({ kid, alg, from, to, reason }: KeyChange) => ({
  kid,
  alg,
  from: from === 'unpublished' ? null : from,
  to,
  reason,
});

export const rotations = resource(
  '/signing-keys/{alg}/rotations',
  'the rotations of the key of an algorithm',
  { alg: z.enum(SIGNING_ALGORITHMS) },
  (method) => ({
    POST: method({
      summary:
        'Publishes a successor now; it signs when every cache holds it. Where a successor waits, no other is made.',
      body: z.strictObject({
        at_once: z
          .boolean()
          .default(false)
          .describe(
            'The successor signs immediately; APIs that cache the JWKS reject its tokens until they fetch it again.',
          ),
      }),
      bodyIsOptional: true,
      example: { at_once: false },
      answer: z.object({
        changes: z
          .array(changeShape)
          .describe(
            'Empty: a successor waits already, or a request with the same Idempotency-Key was carried out before.',
          ),
      }),
      creates: true,
      run: async (deps, { params: { alg }, body, actor, makes }) => {
        if (!deps.configuration().signingKeys.algorithms.includes(alg)) {
          return problem('invalid_fields', `signing-keys.yaml does not name ${alg}. Nothing was changed.`);
        }
        // With at_once, the same request again would replace the key that it made.
        const changes = makes.wasCarriedOut ? [] : await requestRotation(deps.signingKeys, alg, body.at_once, actor);
        await deps.keepKeys();
        return created({ changes: changes.map(changeDocument) }, addressOf(deps.issuer, 'signing-keys'));
      },
    }),
  }),
);
