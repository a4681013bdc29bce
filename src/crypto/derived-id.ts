/** An id that follows from names: a UUID of version 8 (RFC 9562 §5.8), which no random id is. */
import { sha256 } from './digest.ts';

/** @param mark three hexadecimal digits behind the version, by which ids of one kind are known. Absent: those of the hash. */
export function derivedId(names: readonly string[], mark?: string): string {
  const hex = sha256(JSON.stringify(names)).toString('hex', 0, 16);
  const marked = hex.replace(/^(.{12}).(.{3})./, (_, first, second) => `${first}8${mark ?? second}a`);
  return marked.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
