/** The parameters that the parts of the reader share: the report of problems, and the meaning of each name. */
import type { Kind } from './vocabulary.ts';

export type Path = readonly (string | number)[];
export type Report = (at: Path, found: string, allowed: string, nearest?: string | null) => void;
export type LineOf = (path: Path) => number | null;
/** The kind of each name, as far as the file was read. */
export type Kinds = Map<string, Kind>;
export type Reading = { readonly lineOf: LineOf; readonly report: Report; readonly kinds: Kinds };
