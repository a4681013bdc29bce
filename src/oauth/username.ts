/** Usernames that differ only in case or Unicode composition name the same user: NFKC, then lower case, which may decompose a letter. */
export const usernameKey = (username: string): string =>
  username.normalize('NFKC').trim().toLowerCase().normalize('NFKC');

export const MAX_USERNAME_CHARACTERS = 256;

/**
 * Characters that a page shows as nothing, or as a gap. With one of them, a stranger's username could look like another
 * user's, or like none. A username that users choose, or bring from an identity provider, has none of them, and has at
 * least one letter or digit.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
export const isVisible = (username: string): boolean =>
  username.isWellFormed() && !UNSEEN.test(username) && /[\p{L}\p{N}]/u.test(username);

/** The format of src/registration/user-record.ts for administrators, without invisible characters. */
export const isChosenUsername = (username: string): boolean =>
  username.length <= MAX_USERNAME_CHARACTERS && isVisible(username);
