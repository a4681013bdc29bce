/** A server under measurement. */
import type { Child } from '../children.ts';

export type Target = {
  readonly name: string;
  /** Its database's name. */
  readonly database: string;
  readonly tokenUrl: string;
  readonly jwksUrl: string;
  readonly child: Child;
  /** Approved authorizations whose codes wait. */
  readonly seedCodes: (count: number) => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
};
