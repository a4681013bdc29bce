/**
 * Each process draws the identities of an exploration again: no guard can know them, so none can make an exception for them. Their
 * values make no difference to the findings.
 */
import { systemRandom } from '../../crypto/random.ts';

/** @returns an identifier that nothing else has, which begins with the name. */
export const drawn = (name: string): string => `${name}-${systemRandom.uuid()}`;

/** The client of a sign-in is that of the code which comes of it. */
export const THE_CLIENT = drawn('the-client');

/** @returns a `sub`, or the id of a row. */
export const drawnId = (): string => systemRandom.uuid();
