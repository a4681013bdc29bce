/** A format of another system: how its export is read, and how a record of it becomes a record of an import. */
import type { RawSecret } from '../../crypto/secret-types.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** `list`: the name of the list of the file that has the record. Empty: the file has no other. */
export type SourceRecord = { readonly list: string; readonly value: JsonObject };

/** `record`: as a line of our own format. `leftOut`: the parts that stay behind, with the reason; the same text for each end-user. */
export type Converted =
  | { readonly kind: 'user'; readonly record: JsonObject; readonly leftOut: readonly string[] }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] }
  /** It describes no end-user, or facts of another record. */
  | { readonly kind: 'other'; readonly leftOut?: readonly string[] };

export type SourceOptions = {
  /** By the name of the identity provider in the export. */
  readonly issuers: ReadonlyMap<string, string>;
  /** False: new end-users get a `sub` of this server. */
  readonly keepsSub: boolean;
  /** Columns of a CSV file, and the members that they become. */
  readonly columns: ReadonlyMap<string, string>;
  /** The hash parameters of a Firebase project, as its console shows them. Null: not given. */
  readonly firebaseHash: RawSecret | null;
  /** The host name at which the passkeys of the export were made. Null: as the export says. */
  readonly rpId: string | null;
  /** The hashes of the application have a pepper. */
  readonly isPeppered: boolean;
};

export type Adapter = {
  /** Reads each record before any is converted: facts that stand at another place in the files. Absent: the records need none. */
  readonly prepare?: (record: SourceRecord) => void;
  readonly convert: (record: SourceRecord) => Converted;
};

export type Source = {
  /** The value of --from. */
  readonly name: string;
  readonly system: string;
  /** The export, in words for the help and the guide. */
  readonly file: string;
  /** The parts that come along besides username, claims and `sub`. */
  readonly brings: string;
  /** The description of the format. */
  readonly reference: string;
  /** Paths of lists in a JSON document, such as `users`. Absent: the document is a list. */
  readonly lists?: readonly string[];
  /** Members of the document itself that are texts: each comes to the adapter as `{ [name]: text }`, before or behind the records. */
  readonly members?: readonly string[];
  /** A list at the top of a JSON document has such documents, not records. */
  readonly areDocuments?: true;
  /** Of a CSV file without a header. */
  readonly columns?: readonly string[];
  readonly isLdif?: true;
  /** @throws SourceRefused */
  readonly open: (options: SourceOptions) => Adapter;
};

/** An option is missing or wrong. */
export class SourceRefused extends Error {}
