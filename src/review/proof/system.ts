/** What is put to the proof: the engine's own steps, with the machines and the guarded store. Mutants replace one part. */
import { authorizationCodePresentation, MACHINES, refreshTokenPresentation } from '../../engine/engine.ts';
import { type Commit, type Presentation as EnginePresentation, presenting } from '../../engine/present.ts';
import { revoking } from '../../engine/revoke.ts';
import type { Lifetimes } from '../../model/lifetimes.ts';
import { type Authorization, loadPresentation, moveHead, revoke } from './memory-store.ts';

/** What an answer with tokens says. */
export type Minted = {
  readonly generation: bigint;
  readonly nonce: Uint8Array;
  /** Milliseconds since 1970. */
  readonly mintedAt: number;
  readonly scope: readonly string[];
  readonly resources: readonly string[];
};

export type System = {
  readonly lifetimes: Lifetimes;
  readonly machines: typeof MACHINES;
  readonly codePresentation: typeof authorizationCodePresentation<Minted>;
  readonly tokenPresentation: typeof refreshTokenPresentation<Minted>;
  readonly presenting: typeof presenting<Minted>;
  readonly revoking: typeof revoking;
  readonly loadPresentation: typeof loadPresentation;
  readonly moveHead: typeof moveHead;
  readonly revoke: typeof revoke;
};

/** The system that serves, under this policy. */
export const systemOf = (lifetimes: Lifetimes): System => ({
  lifetimes,
  machines: MACHINES,
  codePresentation: authorizationCodePresentation,
  tokenPresentation: refreshTokenPresentation,
  presenting,
  revoking,
  loadPresentation,
  moveHead,
  revoke,
});

/** @returns null when nothing changed. `now`: milliseconds since 1970, when it is carried out. */
export const carryOut = (system: System, stored: Authorization, now: number, commit: Commit): Authorization | null =>
  commit.kind === 'moveHead'
    ? system.moveHead(stored, commit.move, new Date(now))
    : system.revoke(stored, commit.revocation);

export type { EnginePresentation };
