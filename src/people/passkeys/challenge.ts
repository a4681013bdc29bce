/** A challenge is for one purpose in one browser, for a short while, and is answered once. */
import { sha256 } from '../../crypto/digest.ts';
import {
  challengeEndsAt,
  challengeIn,
  makeChallenge,
  readCredential,
  type SentCredential,
} from '../../crypto/passkey-challenge.ts';
import type { Random } from '../../crypto/random.ts';
import type { RootKeys } from '../../crypto/root-secret.ts';
import type { CookieHash } from '../../protocol/browser-session.ts';

export type ChallengeDeps = {
  readonly keys: RootKeys;
  readonly random: Random;
  readonly challenges: {
    /** @returns false: it was spent before. */
    readonly spend: (challengeHash: Uint8Array, endsAt: Date) => Promise<boolean>;
  };
  readonly now: () => Date;
};

/** @param place what it is for: the purpose of the form, or of a registration. */
export const purposeIn = (browser: CookieHash, place: string): string =>
  `${place}\n${Buffer.from(browser).toString('base64url')}`;

export const freshChallenge = ({ keys, random, now }: ChallengeDeps, purpose: string): Buffer =>
  makeChallenge(keys, random, purpose, now().getTime());

export type Answered = {
  readonly sent: SentCredential;
  readonly challenge: string;
  /** Stores that it was answered. @returns false: it was before. @throws StoreUnavailable */
  readonly spend: () => Promise<boolean>;
};

/**
 * What the browser sent, with its challenge. It is spent once the signature is right: an answer of nobody stores nothing.
 * @returns null: it cannot be read, or its challenge is not ours, or too old.
 */
export function readAnswer(deps: ChallengeDeps, purpose: string, text: string | null): Answered | null {
  const sent = text === null ? null : readCredential(text);
  const challenge = sent && challengeIn(sent.response);
  if (sent === null || challenge === null) return null;
  const endsAt = challengeEndsAt(deps.keys, purpose, challenge);
  if (endsAt === null || endsAt <= deps.now()) return null;
  return { sent, challenge, spend: () => deps.challenges.spend(sha256(challenge), endsAt) };
}

/** For an end-user who is signed in: the challenge is spent by any answer. @returns null as `readAnswer`, or it was spent. @throws StoreUnavailable */
export async function answered(deps: ChallengeDeps, purpose: string, text: string | null): Promise<Answered | null> {
  const answer = readAnswer(deps, purpose, text);
  return answer !== null && (await answer.spend()) ? answer : null;
}
