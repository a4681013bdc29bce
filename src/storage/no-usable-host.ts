/** Of several hosts of DATABASE_URL, none can be written to. The message says of each host why. Nothing was sent. */
export class NoUsableHost extends Error {
  readonly code: string;
  /** What to do about all of them; null: nothing is known. */
  readonly advice: string | null;
  /** @param code what the failure is taken for. @param reasons each with its host: no user, no password. */
  constructor(code: string, reasons: readonly string[], advice: readonly string[]) {
    super(reasons.join('; '));
    this.name = 'NoUsableHost';
    this.code = code;
    this.advice = advice.length === 0 ? null : [...new Set(advice)].join(' ');
  }
}
