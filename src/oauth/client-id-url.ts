/** A `client_id` that is the URL of a document about the client (draft-ietf-oauth-client-id-metadata-document §3). */

/** Such an id is meant as a URL, whether or not it follows the rules for one. */
export const isMeantAsUrl = (clientId: string): boolean => /^https?:\/\//i.test(clientId);

/** As long as the id of any client. */
const MAX_CHARACTERS = 255;

/** @returns the rule that the id breaks, in a sentence. Null: none. */
export function whatIsWrongWithClientIdUrl(clientId: string): string | null {
  if (clientId.length > MAX_CHARACTERS) return `The client_id has more than ${MAX_CHARACTERS} characters.`;
  if (!/^[\x21-\x7e]+$/.test(clientId) || !URL.canParse(clientId)) return 'The client_id is not a URL.';
  const url = new URL(clientId);
  if (url.protocol !== 'https:') return 'The client_id is not an https URL.';
  if (clientId.includes('#')) return 'The client_id has a fragment.';
  if (/^https:\/\/[^/]*@/i.test(clientId)) return 'The client_id has a username or a password.';
  const [, path] = /^https:\/\/[^/?]+([^?]*)/i.exec(clientId) ?? [];
  if (path === undefined || path === '') return 'The client_id has no path.';
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    return 'The client_id has a "." or ".." in its path.';
  // Otherwise two texts would name one document, and a browser would show another one than the end-user reads.
  if (url.href !== clientId) return 'The client_id is not written as browsers write URLs.';
  return null;
}

/** Of an id that follows the rules. */
export const originOf = (clientId: string): string => new URL(clientId).origin;
