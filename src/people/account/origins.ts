/** The origin of each session, for the end-user alone: the address of the sign-in, and its place where a file knows it. */
import type { Session } from '../../model/session.ts';

/** One of them is known. */
export type Place = { readonly city: string | null; readonly country: string | null };

/** @param languages the best first. @returns null: no place is known. */
export type PlaceOf = (address: string, languages: readonly string[]) => Promise<Place | null>;

export type Origin = { readonly address: string; readonly place: Place | null };

export type OriginDeps = {
  readonly addressesOf: (
    userId: string,
    sessions: readonly Pick<Session, 'sid' | 'signedInAt'>[],
  ) => Promise<ReadonlyMap<string, string>>;
  readonly placeOf: PlaceOf;
};

/** By `sid`. A session without an entry in the ledger has no origin. @throws StoreUnavailable */
export async function originsOf(
  { addressesOf, placeOf }: OriginDeps,
  { userId, languages }: { readonly userId: string; readonly languages: readonly string[] },
  sessions: readonly Pick<Session, 'sid' | 'signedInAt'>[],
): Promise<ReadonlyMap<string, Origin>> {
  const addresses = await addressesOf(userId, sessions);
  const origins = [...addresses].map(
    async ([sid, address]) => [sid, { address, place: await placeOf(address, languages) }] as const,
  );
  return new Map(await Promise.all(origins));
}
