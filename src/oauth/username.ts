/** Usernames that differ only in case or Unicode composition name the same user: NFKC, then lower case. */
export const usernameKey = (username: string): string => username.normalize('NFKC').trim().toLowerCase();

/**
 * Characters that a page shows as nothing, or as a gap. With one of them, a stranger's username could look like another
 * user's, or like none. A username that users choose, or bring from an identity provider, has none of them, and has at
 * least one letter or digit.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
export const isVisible = (username: string): boolean =>
  username.isWellFormed() && !UNSEEN.test(username) && /[\p{L}\p{N}]/u.test(username);
