/** Changed lifetimes, and their effect on active chains (docs/decisions/0013). */
import type { Policy } from '../../../policies/schema.ts';
import { inOneUnit } from '../../system/durations.ts';

export type PolicyChange = {
  readonly policy: string;
  readonly key: string;
  readonly from: number | boolean | string | null;
  readonly to: number | boolean | string | null;
  /** The effect on active rows. */
  readonly means: string;
};

type Policies = ReadonlyMap<string, Policy>;
type Meaning = {
  readonly shorter: (from: string, to: string) => string;
  readonly longer: (from: string, to: string) => string;
};

const MEANINGS: Readonly<Record<string, Meaning>> = {
  accessTokenLifetimeSeconds: {
    shorter: (from, to) => `Tokens issued from now on live ${to}; those that are out keep their ${from}.`,
    longer: (from, to) =>
      `Tokens issued from now on live ${to}: a stolen one is of use for that long. Those that are out keep their ${from}.`,
  },
  authorizationCodeLifetimeSeconds: {
    shorter: (_, to) => `Codes that are older than ${to} end immediately.`,
    longer: (from) => `Codes that are out keep their ${from}; none that has ended comes back.`,
  },
  refreshIdleLifetimeSeconds: {
    shorter: (_, to) =>
      `Chains that have not been used for ${to} end immediately: their end-users have to sign in again. The others end ${to} after their last use.`,
    longer: (from, to) =>
      `An active chain gets ${to} at its next use; until then it keeps the end that it was given (${from} after its last use). None that has ended comes back.`,
  },
  refreshAbsoluteLifetimeSeconds: {
    shorter: (_, to) =>
      `Chains that were approved more than ${to} ago end immediately: their end-users have to sign in again.`,
    longer: (_, to) =>
      `An active chain continues at most until ${to} after its approval, from its next use on. None that has ended comes back.`,
  },
  provenRetrySeconds: {
    shorter: (_, to) =>
      `A lost answer is repeated until ${to} after the last use. A later retry is rejected, and its chain stays active.`,
    longer: (_, to) =>
      `A lost answer is repeated until ${to} after the last use: a thief who also has the key gets the successor for that long.`,
  },
};

/** Of a key that can be absent or false: its meaning when it comes, and when it goes. */
const SWITCHES: Readonly<Record<string, { readonly on: string; readonly off: string }>> = {
  refreshTokensNeedOfflineAccess: {
    on: 'Chains without offline_access can no longer be refreshed: the client receives invalid_grant, and no chain is used up by that.',
    off: 'Every client that may refresh gets refresh tokens from its next exchange on. Chains without offline_access that have not ended can be refreshed again.',
  },
  provenRetrySeconds: {
    on: 'A used refresh token with its proof no longer ends its chain, active chains included. Without the proof it does, as before.',
    off: 'A used refresh token ends its chain, also with its proof: a client that repeats a request signs its end-user out.',
  },
};

export function policyChanges(before: Policies, after: Policies): PolicyChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((policy) => {
    const [old, fresh] = [before.get(policy), after.get(policy)];
    if (!fresh)
      return [whole(policy, true, 'Clients that name it are refused at start until another policy is theirs.')];
    if (!old) return [whole(policy, false, 'No client has it yet.')];
    return keysOf(old, fresh).flatMap((key) => changeOf(policy, key, old, fresh));
  });
}

const whole = (policy: string, was: boolean, means: string): PolicyChange => ({
  policy,
  key: '(the whole policy)',
  from: was,
  to: !was,
  means,
});

const keysOf = (old: Policy, fresh: Policy) =>
  [...new Set([...Object.keys(old), ...Object.keys(fresh)])] as (keyof Policy)[];

function changeOf(policy: string, key: keyof Policy, old: Policy, fresh: Policy): PolicyChange[] {
  const [from, to] = [old[key] ?? false, fresh[key] ?? false];
  if (from === to) return [];
  if (key === 'requiredAuthenticationClass' || key === 'maxAuthenticationAgeSeconds') {
    const means =
      to === false ? 'Any sign-in is enough.' : 'End-users who signed in otherwise are asked again; chains live on.';
    return [{ policy, key, from, to, means }];
  }
  if (typeof from !== 'number' || typeof to !== 'number') {
    const means = SWITCHES[key]?.[to === false ? 'off' : 'on'] ?? '';
    return [{ policy, key, from, to, means }];
  }
  const meaning = MEANINGS[key]?.[to < from ? 'shorter' : 'longer'] ?? (() => '');
  return [{ policy, key, from, to, means: meaning(inOneUnit(from * 1000), inOneUnit(to * 1000)) }];
}
