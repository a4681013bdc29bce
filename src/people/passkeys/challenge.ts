/** A challenge is for one purpose in one browser, expires soon, and accepts one answer. */
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
    /** @returns false: the challenge was already spent. */
    readonly spend: (challengeHash: Uint8Array, endsAt: Date) => Promise<boolean>;
  };
  readonly now: () => Date;
};

/** @param place the purpose of the form, or of a registration. */
export const purposeIn = (browser: CookieHash, place: string): string =>
  `${place}\n${Buffer.from(browser).toString('base64url')}`;

export const freshChallenge = ({ keys, random, now }: ChallengeDeps, purpose: string): Buffer =>
  makeChallenge(keys, random, purpose, now().getTime());

export type Answered = {
  readonly sent: SentCredential;
  readonly challenge: string;
  /** Stores that the challenge has an answer. @returns false: it already had one. @throws StoreUnavailable */
  readonly spend: () => Promise<boolean>;
};

/**
 * The browser's answer, with its challenge. A valid signature spends the challenge, so an answer of a stranger stores
 * no row.
 * @returns null: the answer is unreadable, or its challenge is not this server's, or has expired.
 */
export function readAnswer(deps: ChallengeDeps, purpose: string, text: string | null): Answered | null {
  const sent = text === null ? null : readCredential(text);
  const challenge = sent && challengeIn(sent.response);
  if (sent === null || challenge === null) return null;
  const endsAt = challengeEndsAt(deps.keys, purpose, challenge);
  if (endsAt === null || endsAt <= deps.now()) return null;
  return { sent, challenge, spend: () => deps.challenges.spend(sha256(challenge), endsAt) };
}

/**
 * For a signed-in end-user: any answer spends the challenge. @returns null as `readAnswer`, or the challenge was
 * already spent. @throws StoreUnavailable
 */
export async function answered(deps: ChallengeDeps, purpose: string, text: string | null): Promise<Answered | null> {
  const answer = readAnswer(deps, purpose, text);
  return answer !== null && (await answer.spend()) ? answer : null;
}
