/** An e-mail address as a user types it. Only a mail shows whether it exists. */

const MAX_CHARACTERS = 254;
/** RFC 5321 §4.1.2 also allows quoted text, which no real address uses and a header cannot contain. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}\p{Cf}]+@(?<domain>[^\s@<>()[\]\\,;:"\p{Cc}\p{Cf}]+)$/u;
/** Labels between dots (RFC 1035 §2.3.1), which may have letters of any script. */
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?$/u;

/** @returns null: no mail can reach the address. */
export function readAddress(typed: string | null): string | null {
  const address = (typed ?? '').trim().normalize('NFC');
  if (address.length > MAX_CHARACTERS || !address.isWellFormed()) return null;
  const labels = ADDRESS.exec(address)?.groups?.['domain']?.split('.') ?? [];
  return labels.length > 0 && labels.every((label) => LABEL.test(label)) ? address : null;
}
