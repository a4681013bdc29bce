/** What the parts of the reader share: where a problem is reported, and what each name stands for. */
import type { Kind } from './vocabulary.ts';

export type Path = readonly (string | number)[];
export type Report = (at: Path, found: string, allowed: string, nearest?: string | null) => void;
export type LineOf = (path: Path) => number | null;
/** What each name stands for, as far as the file was read. */
export type Kinds = Map<string, Kind>;
export type Reading = { readonly lineOf: LineOf; readonly report: Report; readonly kinds: Kinds };
