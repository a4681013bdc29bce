import leven from 'leven';

/** Letters and digits only: `access_token` and `accessToken` are one word. */
const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/**
 * The known name that was probably meant; null when none is near.
 * @param most how many letters may differ from a known name of this length.
 */
export function nearestOf(name: string, known: readonly string[], most: (length: number) => number): string | null {
  const ranked = known.map((one) => ({ one, distance: leven(plain(name), plain(one)) }));
  const [best] = ranked.sort((left, right) => left.distance - right.distance);
  return best && best.distance <= most(best.one.length) ? best.one : null;
}
