/** Signing keys, on the database itself. */

import { keyDeps } from '../../boot/key-ring.ts';
import type { Runtime } from '../../boot/runtime.ts';
import { keyLifetimes } from '../../config/key-lifetimes.ts';
import { rowMacs } from '../../crypto/row-mac.ts';
import { forecastOf } from '../../explanation/key-forecast.ts';
import { type KeyChange, requestRevocation, requestRotation } from '../../lifecycles/signing-key.ts';
import { commandLine } from '../../model/actor.ts';
import type { SigningAlgorithm } from '../../oauth/signing-algorithms.ts';
import { signingKeyStore } from '../../storage/signing-keys.ts';
import { databaseClock } from '../../system/clock.ts';
import { notInPolicy } from '../failure.ts';
import type { KeyChanged, Keys } from '../ports.ts';

export function directKeys(runtime: Runtime): Keys {
  const policy = runtime.configuration.signingKeys;
  const db = runtime.database.drizzle;
  const deps = keyDeps({ ...runtime, source: runtime.keySource, db, clock: databaseClock, policy: () => policy });
  return {
    list: async () => {
      const { now, keys } = await signingKeyStore(db, databaseClock, rowMacs(runtime.keys)).load();
      const ofToday = { algorithms: policy.algorithms, lifetimes: keyLifetimes(policy) };
      return {
        now,
        keys: keys.map((key) => {
          const { since, next } = forecastOf(key, keys, ofToday);
          return { kid: key.kid, alg: key.alg, state: key.state, since, next, reason: key.retiredReason };
        }),
      };
    },
    rotate: async (alg, atOnce) => {
      const changes: KeyChange[] = [];
      for (const one of algorithmsOf(alg, policy.algorithms))
        changes.push(...(await requestRotation(deps, one, atOnce, commandLine)));
      return {
        changes: changes.map(changed),
        publishedBeforeSigningSeconds: policy.publishedBeforeSigningSeconds,
      };
    },
    revoke: async (kid) => {
      const changes = await requestRevocation(deps, kid, commandLine);
      return { changes: changes?.map(changed) ?? null, jwksMaxAgeSeconds: policy.jwksMaxAgeSeconds };
    },
  };
}

const changed = ({ kid, alg, from, to, reason }: KeyChange): KeyChanged => ({
  kid,
  alg,
  from: from === 'unpublished' ? null : from,
  to,
  reason,
});

function algorithmsOf(alg: string | null, wanted: readonly SigningAlgorithm[]): readonly SigningAlgorithm[] {
  if (alg === null) return wanted;
  const named = wanted.filter((known) => known === alg);
  if (named.length === 0) throw notInPolicy(alg, wanted);
  return named;
}
