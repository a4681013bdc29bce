/** A server under measurement. It does not name a missing function, and is left out where that is measured. */
import type { PasswordHash } from '../../../src/crypto/secret-types.ts';
import type { SignedIn } from '../browser.ts';
import type { Child } from '../children.ts';

export type Target = {
  readonly name: string;
  /** Its database's name. */
  readonly database: string;
  readonly tokenUrl: string;
  readonly jwksUrl: string;
  readonly authorizeUrl?: string;
  /** RFC 7662, for access tokens. */
  readonly introspectionUrl?: string;
  /** The token endpoint below the issuer, as `htu` of a DPoP proof (RFC 9449). Absent: it takes none. */
  readonly proofUrl?: string;
  readonly child: Child;
  /** All of its processes, where there are several: operations go to them in turn. */
  readonly nodes?: readonly Target[];
  /** Approved authorizations whose codes wait. */
  readonly seedCodes: (count: number) => Promise<readonly string[]>;
  /** Authorizations that are there and left alone. */
  readonly seedOthers?: (count: number) => Promise<unknown>;
  /** End-users who are signed in and have allowed the client before, a browser each. */
  readonly seedBrowsers?: (count: number) => Promise<readonly SignedIn[]>;
  /**
   * End-users who have never signed in. @returns their usernames; their password is that of setting.ts.
   * @param passwordHash of it; absent: one that costs next to nothing to check.
   */
  readonly seedNewUsers?: (count: number, passwordHash?: PasswordHash) => Promise<readonly string[]>;
  /** More entries of the ledger, which are in no segment. */
  readonly seedEntries?: (count: number) => Promise<unknown>;
  /** The number of full segments that are not sealed. */
  readonly openSegments?: () => Promise<number>;
  readonly stop: () => Promise<void>;
};

/** On a database that is empty, or as the same server has left it. */
export type Start = (databaseUrl: string) => Promise<Target>;
