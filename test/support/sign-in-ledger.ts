import type { RefusedSignIn } from '../../src/lifecycles/session/sign-in.ts';
import type { SignInLedger } from '../../src/protocol/sign-in-ledger.ts';

/** A ledger that only remembers what was refused. */
export function rememberedRefusals(): SignInLedger & { readonly remembered: readonly RefusedSignIn[] } {
  const remembered: RefusedSignIn[] = [];
  return {
    remembered,
    originOf: (username) => ({ address: '192.0.2.1', accountHash: username && `hash of ${username}` }),
    refused: async (line) => void remembered.push(line),
  };
}
