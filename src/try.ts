import { signIns } from './review/proof/sign-ins/walk.ts';
import { signingKeys } from './review/proof/signing-keys/walk.ts';
import { explore } from './review/proof/explore.ts';
import { wordsOfTrace } from './review/proof/trace.ts';
for (const walk of [signIns, signingKeys]) for (const b of walk.bounds) { const e = explore(walk as never, b); console.log(walk.name, e.moments, e.steps, e.milliseconds|0); for (const v of e.violations) console.log(v.invariant.name, wordsOfTrace(v)); }
