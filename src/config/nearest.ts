import leven from 'leven';

/** Letters and digits only, so that `access_token` and `accessToken` are the same. */
const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/**
 * The known name that was probably meant; null when none is near.
 * @param maxDistance how many letters may differ from a known name of this length.
 */
export function nearestOf(
  name: string,
  known: readonly string[],
  maxDistance: (length: number) => number,
): string | null {
  const ranked = known.map((candidate) => ({ candidate, distance: leven(plain(name), plain(candidate)) }));
  const [best] = ranked.sort((left, right) => left.distance - right.distance);
  return best && best.distance <= maxDistance(best.candidate.length) ? best.candidate : null;
}
