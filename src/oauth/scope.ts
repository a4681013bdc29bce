/** RFC 6749 §3.3: scope-token *( SP scope-token ). */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** @returns each scope once, in the requested order. Null: the text is not a scope. */
export function parseScope(text: string): string[] | null {
  const tokens = text.split(' ').filter((token) => token.length > 0);
  return tokens.length > 0 && tokens.every((token) => SCOPE_TOKEN.test(token)) ? [...new Set(tokens)] : null;
}

const MAX_SHOWN_CHARACTERS = 100;

/** A scope of a request, for an error or the log. */
export const shortScope = (scope: string): string =>
  scope.length > MAX_SHOWN_CHARACTERS ? `${scope.slice(0, MAX_SHOWN_CHARACTERS)}...` : scope;

export const formatScope = (scope: readonly string[]): string => scope.join(' ');
