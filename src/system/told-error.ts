/** An error whose message is written for people: it says what is wrong and what to do, and contains no secret. */
export class ToldError extends Error {
  /** Trying again cannot help, or does harm, before an operator has changed something. */
  readonly isFinal: boolean = false;
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
