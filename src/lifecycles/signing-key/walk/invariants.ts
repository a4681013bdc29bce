/** The invariants of the signing keys: for each, a sentence and the violations. */
import type { SigningKeyEvent } from '../../../../machines/signing-key/facts.ts';
import { KEY_POLL_SECONDS, MAX_TOKEN_SECONDS } from '../../../../policies/schema.ts';
import { type SigningAlgorithm, type SigningKeyRow, signerAmong, waitingKey } from '../../../model/signing-key.ts';
import type { DefinedInvariant } from '../../../review/proof/define-walk.ts';
import { everythingIsAnswered, staysEnded } from '../../../review/proof/invariants.ts';
import { numberOf } from '../../../review/proof/keys.ts';
import type { ModelState } from '../../../review/proof/moment.ts';
import { storedAfter } from '../../../review/proof/moves.ts';
import type { Walk } from '../../../review/proof/walk.ts';
import type { SigningKeyTable } from '../lifecycle.ts';
import { type Asked, LIFETIMES, type Terms } from './ports.ts';

type Ports = ModelState<Terms>;

export const INVARIANTS: readonly DefinedInvariant<Terms>[] = [
  {
    name: 'one-signer',
    says: 'From its first key on, exactly one key signs for each algorithm that is wanted; never two.',
    spec: 'OpenID Connect Core §10.1',
    violation: (_, { stored }, { after, commit }) => {
      const { keys } = after.stored;
      for (const alg of algorithmsOf(keys)) {
        const signers = inState(keys, alg, 'signing').length;
        if (signers > 1) return `${signers} keys sign with ${alg}`;
        const isLost = signers === 0 && signerAmong(stored.keys, alg) !== undefined;
        // A node whose policy names the algorithm no longer lets its last key go.
        if (isLost && commit?.asked.wanted.includes(alg)) return `no key signs with ${alg} any more`;
      }
      return null;
    },
  },
  {
    name: 'one-waits',
    says: 'At most one key of an algorithm waits to sign.',
    violationAt: (_, { stored: { keys } }) => {
      const alg = algorithmsOf(keys).find((one) => inState(keys, one, 'published').length > 1);
      return alg === undefined ? null : `two keys of ${alg} wait`;
    },
  },
  {
    name: 'published-before-signing',
    says: 'A key signs only after it has been published for long enough, unless it is the first, or an emergency demands it.',
    violation: (_, { stored, now }, { after, commit }) => {
      if (!commit?.held) return null;
      const early = after.stored.keys.find(
        (key) =>
          key.state === 'signing' &&
          keyNamed(stored.keys, key.kid)?.state !== 'signing' &&
          now < key.maySignAt.getTime(),
      );
      if (!early || commit.asked.atOnce || !signerAmong(stored.keys, early.alg)) return null;
      return `${early.kid} signs ${(early.maySignAt.getTime() - now) / 1000} s before every cache holds it`;
    },
  },
  {
    name: 'no-private-half-left',
    says: 'Only a key that signs or waits to sign has a private half.',
    spec: 'NIST SP 800-57 Part 1 §8.3.4',
    violationAt: (_, { stored: { keys } }) => {
      const wrong = keys.find(
        ({ state, privateJwe }) => (privateJwe !== null) !== (state === 'published' || state === 'signing'),
      );
      return wrong
        ? `${wrong.kid} is ${wrong.state} and has ${wrong.privateJwe === null ? 'no' : 'a'} private half`
        : null;
    },
  },
  {
    name: 'retired-for-good',
    says: 'A retired key never changes again, and so never signs again.',
    spec: 'NIST SP 800-57 Part 1 §7.4',
    ...staysEnded<Terms, SigningKeyRow>({
      rows: ({ keys }) => keys,
      nameOf: ({ kid }) => kid,
      hasEnded: ({ state }) => state === 'retired',
      fact: numberOf,
    }),
  },
  {
    name: 'signatures-verify',
    says: 'The key of a node stays in the JWKS until the last token that it signed has expired, unless the key is revoked.',
    spec: 'OpenID Connect Core §10.1.1, RFC 7517 §5',
    violation: (_, { stored, now }, { after, commit }) => {
      if (!commit?.held) return null;
      const revoked = commit.asked.type === 'revocationRequested' ? commit.asked.kid : null;
      for (const key of stored.keys) {
        if (key.state === 'retired' || key.kid === revoked) continue;
        if (key.state === 'published') continue;
        if (keyNamed(after.stored.keys, key.kid)?.state !== 'retired') continue;
        // Nodes hear of it at their next poll at the latest, and sign a last token until then.
        const lastToken = (key.stoppedSigningAt?.getTime() ?? now) + (KEY_POLL_SECONDS + MAX_TOKEN_SECONDS) * 1000;
        if (now < lastToken)
          return `${key.kid} left the JWKS ${(lastToken - now) / 1000} s before its last token expired`;
      }
      return null;
    },
  },
  {
    name: 'revoked-at-once',
    says: 'After an acknowledged revocation the key is out of the JWKS.',
    spec: 'NIST SP 800-57 Part 1 §7.5',
    violation: (_, __, { after, answer }) => {
      if (answer?.asked.type !== 'revocationRequested') return null;
      const key = keyNamed(after.stored.keys, answer.asked.kid ?? '');
      return key?.state === 'retired' ? null : `${answer.asked.kid} was revoked, and is ${key?.state ?? 'gone'}`;
    },
  },
  {
    name: 'every-key-event-is-answered',
    says: 'Every event of a signing key is answered, in every state that can be reached.',
    ...everythingIsAnswered(({ stored, known: { wanted } }) => [
      ...everyEventOf(null, 'RS256', wanted),
      ...stored.keys.flatMap(({ kid, alg }) => everyEventOf(kid, alg, wanted)),
    ]),
  },
  {
    name: 'handover-is-served',
    says: 'Each due step happens at the next tick: a first key, a successor, the handover, the end. Nothing above holds because nothing works.',
    violationAt: (walk, ports) => {
      const { stored, known, now } = ports;
      for (const alg of known.wanted) {
        const signer = signerAmong(stored.keys, alg);
        const waiting = waitingKey(stored.keys, alg);
        if (!signer) {
          const after = afterTick(walk, ports, {
            type: waiting ? 'timePassed' : 'noKeySigns',
            alg,
            kid: waiting?.kid ?? null,
          });
          if (!after || !signerAmong(after, alg)) return `no key signs with ${alg}, and a tick does not change it`;
          continue;
        }
        const end = endOfSigning(signer);
        const after = afterTick(walk, ports, { type: 'timePassed', alg, kid: signer.kid });
        const isReady = waiting && now >= Math.max(waiting.maySignAt.getTime(), end);
        if (isReady && !(after && signerAmong(after, alg)?.kid === waiting.kid))
          return `the handover to ${waiting.kid} is due, and does not happen`;
        const isDue = now >= Math.min(end, end - LIFETIMES.successorLeadSeconds * 1000);
        if (!waiting && isDue && !(after && waitingKey(after, alg))) return `${signer.kid} has no successor in time`;
      }
      for (const alg of algorithmsOf(stored.keys)) {
        const signer = signerAmong(stored.keys, alg);
        if (!signer || known.wanted.includes(alg) || waitingKey(stored.keys, alg) || now < endOfSigning(signer))
          continue;
        const after = afterTick(walk, ports, { type: 'timePassed', alg, kid: signer.kid });
        if (!after || signerAmong(after, alg))
          return `${signer.kid} signs on, though its algorithm is not wanted any more`;
      }
      const over = stored.keys.find(
        (key) =>
          key.state === 'retiring' && now >= (key.stoppedSigningAt?.getTime() ?? 0) + LIFETIMES.retiringSeconds * 1000,
      );
      if (!over) return null;
      const after = afterTick(walk, ports, { type: 'timePassed', alg: over.alg, kid: over.kid });
      return after && keyNamed(after, over.kid)?.state === 'retired' ? null : `${over.kid} stays in the JWKS for ever`;
    },
  },
  {
    name: 'operator-is-served',
    says: 'A rotation leads to another signer as soon as caches allow it, in an emergency immediately, and so does a revocation.',
    spec: 'NIST SP 800-57 Part 1 §7.5',
    violationAt: (walk, ports) => {
      const { stored, known } = ports;
      for (const alg of algorithmsOf(stored.keys)) {
        const signer = signerAmong(stored.keys, alg);
        if (!signer) continue;
        const waiting = waitingKey(stored.keys, alg);
        const inTime = afterRotation(walk, ports, alg, signer.kid);
        const isReady = waiting !== undefined && ports.now >= waiting.maySignAt.getTime();
        const handedOver = signerAmong(inTime, alg)?.kid !== signer.kid;
        const asked = signerAmong(inTime, alg);
        const isComing =
          asked !== undefined && endOfSigning(asked) <= ports.now && waitingKey(inTime, alg) !== undefined;
        if (isReady ? !handedOver : !isComing) return `a rotation about ${signer.kid} leads to no handover`;
        for (const type of ['rotationRequested', 'revocationRequested'] as const) {
          const emergency: Asked = { type, alg, kid: signer.kid, atOnce: true, wanted: known.wanted };
          const after = storedAfter(walk, ports, emergency)?.keys;
          const next = after && signerAmong(after, alg);
          if (!next || next.kid === signer.kid) return `${type} about ${signer.kid} leaves no other key that signs`;
          if (waiting && next.kid !== waiting.kid) return `${type} creates a key though ${waiting.kid} waits`;
        }
      }
      return null;
    },
  },
];

/** `successorNeeded` and `signerStopped` come from the machine alone. */
const EVENTS_FROM_OUTSIDE: readonly SigningKeyEvent['type'][] = [
  'noKeySigns',
  'timePassed',
  'rotationRequested',
  'revocationRequested',
];

const everyEventOf = (kid: string | null, alg: SigningAlgorithm, wanted: Asked['wanted']): readonly Asked[] =>
  EVENTS_FROM_OUTSIDE.flatMap((type) => [false, true].map((atOnce) => ({ type, alg, kid, atOnce, wanted })));

const algorithmsOf = (keys: SigningKeyTable): readonly SigningAlgorithm[] => [...new Set(keys.map(({ alg }) => alg))];
const inState = (keys: SigningKeyTable, alg: SigningAlgorithm, state: SigningKeyRow['state']) =>
  keys.filter((key) => key.alg === alg && key.state === state);
const keyNamed = (keys: SigningKeyTable, kid: string) => keys.find((key) => key.kid === kid);

/** Worked out from the policy, not by the machine that is on trial. Milliseconds since 1970. */
const endOfSigning = ({ beganSigningAt, rotationAskedAt }: SigningKeyRow): number =>
  Math.min(
    (beganSigningAt?.getTime() ?? Number.POSITIVE_INFINITY) + LIFETIMES.signingLifetimeSeconds * 1000,
    rotationAskedAt?.getTime() ?? Number.POSITIVE_INFINITY,
  );

/** Without hurry; the same table where the request changes nothing. */
function afterRotation(walk: Walk<Terms>, ports: Ports, alg: SigningAlgorithm, kid: string): SigningKeyTable {
  const asked: Asked = { type: 'rotationRequested', alg, kid, atOnce: false, wanted: ports.known.wanted };
  return storedAfter(walk, ports, asked)?.keys ?? ports.stored.keys;
}

const afterTick = (
  walk: Walk<Terms>,
  ports: Ports,
  event: Pick<Asked, 'type' | 'alg' | 'kid'>,
): SigningKeyTable | null =>
  storedAfter(walk, ports, { ...event, atOnce: false, wanted: ports.known.wanted })?.keys ?? null;
