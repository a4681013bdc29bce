/** OpenID Connect Core §3.1.2.1: `prompt`, a space-delimited, case-sensitive list. */
const PROMPTS = ['none', 'login', 'consent', 'select_account', 'create'] as const;

export type Prompt = (typeof PROMPTS)[number];

/** Initiating User Registration via OpenID Connect §4: `create` needs a sign-up page. */
export const supportedPrompts = (signUpIsOpen: boolean): readonly Prompt[] =>
  PROMPTS.filter((prompt) => prompt !== 'create' || signUpIsOpen);

/** @returns null when a value is unknown, or `none` stands beside another value, which Core calls an error. */
export function parsePrompt(text: string): Prompt[] | null {
  const values = [...new Set(text.split(' ').filter((value) => value.length > 0))];
  const known = PROMPTS.filter((prompt) => values.includes(prompt));
  if (known.length !== values.length) return null;
  return known.includes('none') && known.length > 1 ? null : known;
}
