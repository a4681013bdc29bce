/** An e-mail address as somebody types it. Whether it exists is for the mail to find out. */

const MAX_CHARACTERS = 254;
/** RFC 5321 §4.1.2 allows more, in quotes; nobody has such an address, and a header has no place for it. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}\p{Cf}]+@(?<domain>[^\s@<>()[\]\\,;:"\p{Cc}\p{Cf}]+)$/u;
/** Labels between dots (RFC 1035 §2.3.1), which may have letters of any script. */
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?$/u;

/** @returns null: no address that a mail can be sent to. */
export function readAddress(typed: string | null): string | null {
  const address = (typed ?? '').trim().normalize('NFC');
  if (address.length > MAX_CHARACTERS || !address.isWellFormed()) return null;
  const labels = ADDRESS.exec(address)?.groups?.['domain']?.split('.') ?? [];
  return labels.length > 0 && labels.every((label) => LABEL.test(label)) ? address : null;
}
