/** The secret of a set-up link, ours or one that a team draws: 256 bits in base64url have 43 characters. */
const SECRET = /^[A-Za-z0-9_-]{43,256}$/;
export const isSetUpSecret = (text: string): boolean => SECRET.test(text);
