/**
 * Can the model check fail? Each mutant of machine, predicate, policy, engine and commit guard has to break an invariant, or a law of
 * the machines. Otherwise it says why it is undetectable. The report is committed, so that a review reads its difference.
 */
import { describe, expect, it } from 'vitest';
import { InvariantViolation } from '../../../src/engine/errors.ts';
import { administration } from '../../../src/lifecycles/client/walk/walk.ts';
import { clientDocuments } from '../../../src/lifecycles/client-document/walk.ts';
import { clientRegistrations } from '../../../src/lifecycles/client-registration/walk.ts';
import { emailChallenges } from '../../../src/lifecycles/email-challenge/walk/walk.ts';
import { externalSignIns } from '../../../src/lifecycles/external-sign-in/walk/walk.ts';
import { authorizations, provenRetries } from '../../../src/lifecycles/grant/walk/walk.ts';
import { signIns } from '../../../src/lifecycles/interaction/walk/walk.ts';
import { mails } from '../../../src/lifecycles/mail/walk.ts';
import { operatorSetUps } from '../../../src/lifecycles/operator-set-up/walk.ts';
import { pushedRequests } from '../../../src/lifecycles/pushed-request/walk.ts';
import { factors } from '../../../src/lifecycles/second-factor/walk/walk.ts';
import { signInCodes } from '../../../src/lifecycles/sign-in-code/walk/walk.ts';
import { signingKeys } from '../../../src/lifecycles/signing-key/walk/walk.ts';
import { trustedBrowsers } from '../../../src/lifecycles/trusted-browser/walk.ts';
import { usedJtis } from '../../../src/lifecycles/used-jti/walk.ts';
import { webhookDeliveries } from '../../../src/lifecycles/webhook-delivery/walk.ts';
import type { Lifetimes } from '../../../src/model/lifetimes.ts';
import { explore } from '../../../src/review/proof/explore.ts';
import type { AnyWalk, Bounds } from '../../../src/review/proof/walk.ts';
import { type Heard, listenTo } from './mutants/alike.ts';
import {
  administrationFactMutants,
  documentFactMutants,
  factMutants,
  factorFactMutants,
  guardMutants,
  linkFactMutants,
  linkGuardMutants,
  registrationFactMutants,
  retryGuardMutants,
  signInGuardMutants,
  trustFactMutants,
} from './mutants/commit-guard.ts';
import {
  administrationEngineMutants,
  codeEngineMutants,
  deliveryEngineMutants,
  engineMutants,
  externalEngineMutants,
  factorEngineMutants,
  keyEngineMutants,
  mailEngineMutants,
  retryEngineMutants,
  signInEngineMutants,
} from './mutants/engine.ts';
import {
  administrationMachineMutants,
  codeMachineMutants,
  deliveryMachineMutants,
  documentMachineMutants,
  externalMachineMutants,
  factorMachineMutants,
  jtiMachineMutants,
  keyMachineMutants,
  linkMachineMutants,
  machineMutants,
  mailMachineMutants,
  pushedMachineMutants,
  registrationMachineMutants,
  setUpMachineMutants,
  signInMachineMutants,
  trustMachineMutants,
} from './mutants/machines.ts';
import type { Mutant } from './mutants/mutant.ts';
import { policyMutants } from './mutants/policies.ts';
import {
  administrationPredicateMutants,
  codePredicateMutants,
  deliveryPredicateMutants,
  documentPredicateMutants,
  externalPredicateMutants,
  factorPredicateMutants,
  jtiPredicateMutants,
  keyPredicateMutants,
  linkPredicateMutants,
  mailPredicateMutants,
  predicateMutants,
  pushedPredicateMutants,
  registrationPredicateMutants,
  retryPredicateMutants,
  setUpPredicateMutants,
  signInPredicateMutants,
  trustPredicateMutants,
} from './mutants/predicates.ts';

const DAY = 86_400;
/** A chain that can reach its absolute end with one use on the way. */
const POLICY: Lifetimes = {
  name: 'for mutants',
  accessTokenLifetimeSeconds: 900,
  authorizationCodeLifetimeSeconds: 60,
  refreshIdleLifetimeSeconds: 30 * DAY,
  refreshAbsoluteLifetimeSeconds: 45 * DAY,
};

type Subject = {
  readonly walk: AnyWalk;
  /** Within the bounds of `statehouse check --proof`; the second where two changes have to coincide. */
  readonly bounds: readonly [Bounds, ...Bounds[]];
  // biome-ignore lint/suspicious/noExplicitAny: mutants of any walk.
  readonly mutants: readonly Mutant<any>[];
  /** Of the facts that its commits read. */
  // biome-ignore lint/suspicious/noExplicitAny: mutants of any walk.
  readonly factMutants?: (facts: readonly string[]) => readonly Mutant<any>[];
};

const SHORT = { requests: 3, inFlight: 2, faults: 1 };
const LONG = { requests: 3, inFlight: 2, faults: 2 };
/** Of the walks that begin in many places; the shortest first. */
const FEW = { requests: 2, inFlight: 1, faults: 0 };
const MORE = [
  { requests: 3, inFlight: 2, faults: 0 },
  { requests: 1, inFlight: 1, faults: 2 },
  { requests: 2, inFlight: 2, faults: 1 },
];

const SUBJECTS: readonly Subject[] = [
  {
    walk: authorizations(POLICY),
    bounds: [SHORT, LONG],
    mutants: [...machineMutants, ...predicateMutants, ...policyMutants, ...engineMutants, ...guardMutants],
  },
  {
    walk: provenRetries,
    // A stale token needs four requests.
    bounds: [SHORT, { requests: 4, inFlight: 2, faults: 0 }, LONG],
    mutants: [...retryPredicateMutants, ...retryEngineMutants, ...retryGuardMutants],
  },
  {
    walk: signIns,
    bounds: [FEW, ...MORE],
    mutants: [...signInMachineMutants, ...signInPredicateMutants, ...signInEngineMutants, ...signInGuardMutants],
  },
  {
    walk: emailChallenges,
    bounds: [FEW, ...MORE],
    mutants: [...linkMachineMutants, ...linkPredicateMutants, ...linkGuardMutants],
    factMutants: linkFactMutants,
  },
  {
    walk: factors,
    bounds: [FEW, { requests: 3, inFlight: 2, faults: 0 }, { requests: 2, inFlight: 2, faults: 1 }],
    mutants: [...factorMachineMutants, ...factorPredicateMutants, ...factorEngineMutants],
    factMutants: factorFactMutants,
  },
  {
    walk: trustedBrowsers,
    bounds: [FEW, ...MORE],
    mutants: [...trustMachineMutants, ...trustPredicateMutants],
    factMutants: trustFactMutants,
  },
  {
    walk: externalSignIns,
    bounds: [FEW, { requests: 4, inFlight: 2, faults: 0 }, { requests: 3, inFlight: 2, faults: 1 }],
    mutants: [...externalMachineMutants, ...externalPredicateMutants, ...externalEngineMutants],
    factMutants,
  },
  {
    walk: signInCodes,
    bounds: [FEW, ...MORE],
    mutants: [...codeMachineMutants, ...codePredicateMutants, ...codeEngineMutants],
    factMutants,
  },
  {
    walk: operatorSetUps,
    bounds: [FEW, ...MORE],
    mutants: [...setUpMachineMutants, ...setUpPredicateMutants],
    factMutants,
  },
  {
    walk: pushedRequests,
    bounds: [FEW, { requests: 3, inFlight: 2, faults: 0 }, { requests: 2, inFlight: 2, faults: 1 }],
    mutants: [...pushedMachineMutants, ...pushedPredicateMutants],
    factMutants,
  },
  {
    walk: clientRegistrations,
    bounds: [FEW, { requests: 2, inFlight: 2, faults: 0 }, { requests: 1, inFlight: 1, faults: 1 }],
    mutants: [...registrationMachineMutants, ...registrationPredicateMutants],
    factMutants: registrationFactMutants,
  },
  {
    walk: clientDocuments,
    bounds: [FEW, { requests: 2, inFlight: 2, faults: 0 }, { requests: 1, inFlight: 1, faults: 1 }],
    mutants: [...documentMachineMutants, ...documentPredicateMutants],
    factMutants: documentFactMutants,
  },
  {
    walk: usedJtis,
    bounds: [FEW, ...MORE],
    mutants: [...jtiMachineMutants, ...jtiPredicateMutants],
    factMutants,
  },
  {
    walk: signingKeys,
    bounds: [FEW, ...MORE],
    mutants: [...keyMachineMutants, ...keyPredicateMutants, ...keyEngineMutants],
    factMutants,
  },
  {
    walk: administration,
    bounds: [FEW, { requests: 2, inFlight: 2, faults: 1 }],
    mutants: [...administrationMachineMutants, ...administrationPredicateMutants, ...administrationEngineMutants],
    factMutants: administrationFactMutants,
  },
  {
    walk: webhookDeliveries,
    bounds: [FEW, ...MORE],
    mutants: [...deliveryMachineMutants, ...deliveryPredicateMutants, ...deliveryEngineMutants],
    factMutants,
  },
  {
    walk: mails,
    bounds: [FEW, ...MORE],
    mutants: [...mailMachineMutants, ...mailPredicateMutants, ...mailEngineMutants],
    factMutants,
  },
];

type Tried = Mutant & {
  readonly walk: string;
  readonly invariant: string | null;
  /** All that the same number of steps leads to. */
  readonly invariants: readonly string[];
  readonly law: string | null;
};

const HEARD: readonly (Subject & { readonly heard: readonly Heard[] })[] = SUBJECTS.map((subject) => ({
  ...subject,
  heard: subject.bounds.map((bounds) => listenTo(subject.walk, bounds)),
}));

const tried: readonly Tried[] = HEARD.flatMap(({ walk, heard, mutants, factMutants }) =>
  [...mutants, ...(factMutants?.([...new Set(heard.flatMap(({ facts }) => facts))]) ?? [])].map((mutant) => {
    const soon = violation(walk, heard.slice(0, 1), mutant);
    const law = soon === null ? (mutant.alsoSeenBy?.() ?? null) : null;
    // Mutants that a law detects, or that are explained, are not checked further: there are hundreds.
    const isSettled = soon !== null || law !== null || (mutant.survives !== undefined && mutant.part === 'predicate');
    const invariants = isSettled ? (soon ?? []) : (violation(walk, heard.slice(1), mutant) ?? []);
    return { ...mutant, walk: walk.name, law, invariants, invariant: invariants[0] ?? null };
  }),
);

function violation(right: AnyWalk, all: readonly Heard[], { walkOf }: Mutant): readonly string[] | null {
  const walk = walkOf(right as Parameters<typeof walkOf>[0]);
  for (const { exploration, isAnsweredAlikeBy } of all) {
    if (isAnsweredAlikeBy(walk)) continue;
    try {
      const { violations } = explore(walk, exploration.bounds, true);
      if (violations.length > 0) return violations.map(({ invariant }) => invariant.name);
    } catch (error) {
      // A machine that the engine cannot run is refused before the first request.
      if (error instanceof InvariantViolation) return ['refused at start'];
      throw error;
    }
  }
  return null;
}

describe('the mutants', () => {
  it.each(HEARD)('share a model, $walk.name, that holds without them', ({ heard }) => {
    for (const { exploration } of heard) expect(exploration.violations).toEqual([]);
  });

  it('are many, of every part', () => {
    expect(tried.length).toBeGreaterThan(200);
    for (const part of ['machine', 'predicate', 'policy', 'engine', 'guard of the commit']) {
      expect(tried.filter((one) => one.part === part && one.invariant !== null).length, part).toBeGreaterThan(4);
    }
  });

  it('are all detected, or explained', () => {
    const unseen = tried.filter((one) => one.invariant === null && one.law === null && one.survives === undefined);
    expect(unseen.map(({ what }) => what)).toEqual([]);
  });

  it('have no explanation when they are detected', () => {
    const seen = tried.filter((one) => one.invariant !== null && one.survives !== undefined);
    expect(seen.map(({ what }) => what)).toEqual([]);
  });

  it.each(SUBJECTS.flatMap(({ walk }) => walk.invariants.map(({ name }) => name)))('some mutant breaks %s', (name) => {
    expect(tried.some(({ invariants }) => invariants.includes(name))).toBe(true);
  });

  it('the report is the one that was reviewed', async () => {
    await expect(report()).toMatchFileSnapshot('mutation-report.md');
  });
});

function report(): string {
  const nets = (one: Tried) => one.invariant ?? (one.law === null ? 'nothing' : 'a law of its machine');
  const counts = new Map<string, number>();
  for (const one of tried) {
    const key = `| ${one.walk} | ${one.part} | ${nets(one)} |`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [
    '# Mutants of the machines, the engine and the guards',
    '',
    'Machines, predicates, lifetimes, engine and commit guard with one thing wrong, walked as `statehouse check --proof` walks the right',
    'ones. Which invariant breaks first, by the shortest trace. The laws are those of test/unit/machines/laws.ts.',
    '',
    'Generated by test/unit/review/mutation.test.ts. To accept a change: `npx vitest run test/unit/review --update`.',
    '',
    '| walk | part | seen by | mutants |',
    '| --- | --- | --- | --- |',
    ...[...counts].toSorted().map(([key, count]) => `${key} ${count} |`),
    '',
    '## Each of policy, engine and commit guard',
    '',
    ...tried
      .filter(({ part }) => part !== 'machine' && part !== 'predicate')
      .map((one) => `- ${one.part}: ${one.what}: ${one.invariant ?? 'survives'}`),
    '',
    '## What nothing sees, and why that is right',
    '',
    ...tried
      .filter(({ survives }) => survives !== undefined)
      .map((one) => `- ${one.part}: ${one.what}: ${one.survives}`),
    '',
  ].join('\n');
}
