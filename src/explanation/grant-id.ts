const GRANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @returns null when the text is not a grant id. */
export const grantIdIn = (text: string): string | null => (GRANT_ID.test(text) ? text.toLowerCase() : null);
