/** An error whose message is for people: it names the problem and the remedy, and contains no secret. */
export class ReportedError extends Error {
  /** A retry cannot help, or does harm, before an operator makes a change. */
  readonly isFinal: boolean = false;
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
