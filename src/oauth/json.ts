/** @returns undefined: the text is not JSON (RFC 8259). */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
