/** `resource` (RFC 8707 §2), as clients write it. */

/**
 * The identifiers that a client means. Many clients parse an identifier as a URL and send it back written as browsers write it, so
 * `https://mcp.example` comes as `https://mcp.example/`. RFC 3986 §6.2.3 calls the two equivalent.
 *
 * @returns each known identifier as it is known, and any other one as sent.
 */
export const meantResources = (sent: readonly string[], known: readonly string[]): readonly string[] => [
  ...new Set(sent.map((one) => (known.includes(one) ? one : (onlyEquivalent(one, known) ?? one)))),
];

/** Null: none, or more than one. */
function onlyEquivalent(sent: string, known: readonly string[]): string | null {
  if (!/^https?:[\x21-\x7e]+$/i.test(sent) || !URL.canParse(sent) || sent.includes('#')) return null;
  const { href } = new URL(sent);
  const [only, ...others] = known.filter((one) => new URL(one).href === href);
  return others.length === 0 ? (only ?? null) : null;
}
