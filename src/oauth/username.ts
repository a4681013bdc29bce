/** Usernames that differ only in case or Unicode composition name the same user: NFKC, then lower case. */
export const usernameKey = (username: string): string => username.normalize('NFKC').trim().toLowerCase();

/**
 * What a page shows as nothing, or as a gap: with it a stranger's username would look like that of somebody else, or like none. A
 * username that people choose themselves, or bring along, has none of it, and at least one letter or digit.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
export const isVisible = (username: string): boolean =>
  username.isWellFormed() && !UNSEEN.test(username) && /[\p{L}\p{N}]/u.test(username);
