/** An error whose message is written for people: it says what is wrong and what to do, and contains no secret. */
export class ToldError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
