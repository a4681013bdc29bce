/** Of several hosts of DATABASE_URL, none can be written to. The message says of each host why. Nothing was sent. */
export class NoUsableHost extends Error {
  readonly code: string;
  /** The remedy for all of them; null: none is known. */
  readonly advice: string | null;
  /** @param code that the failure counts as. @param reasons each with its host: no user, no password. */
  constructor(code: string, reasons: readonly string[], advice: readonly string[]) {
    super(reasons.join('; '));
    this.name = 'NoUsableHost';
    this.code = code;
    this.advice = advice.length === 0 ? null : [...new Set(advice)].join(' ');
  }
}
