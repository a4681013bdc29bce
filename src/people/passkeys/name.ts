/** The name of a passkey. */

const MAX_NAME_CHARACTERS = 60;

/**
 * Never empty, and short enough for a list. Removes characters that act in a terminal, or change the direction of the
 * text.
 */
export const nameOf = (typed: string | null): string => {
  const shown = (typed ?? '').replaceAll(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ').trim();
  // Whole characters: the database cannot store half of a surrogate pair.
  const name = Array.from(shown).slice(0, MAX_NAME_CHARACTERS).join('').trim();
  return name === '' ? 'Passkey' : name;
};
