/**
 * Reviewed effects of the migrations since the release before: each constraint and trigger that could refuse a write of its nodes, and each
 * object that they no longer find. The digest is that of the reviewed text: another text needs another review. When a version is
 * released and packed (.ci/pack-previous-release.ts), this list is emptied.
 */
export type Reviewed = {
  /** Why no node of the release before is harmed: its writes, by its code; rolling-upgrade.test.ts runs it. */
  readonly because: string;
  readonly findings: Readonly<Record<string, string | null>>;
};

export const REVIEWED: readonly Reviewed[] = [];
