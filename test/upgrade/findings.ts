/**
 * The effect of a migration on the version before it, which reads and writes its own tables, and names no column of a later version. New
 * tables, optional columns, views and plain indexes have no effect on it.
 */
import { type Catalogue, type CatalogueEntry, digestOf } from './catalogue.ts';

/** `contracts`: an object is gone, or is another. `refuses`: a write of the version before is perhaps no longer accepted. */
export type Effect = 'contracts' | 'refuses';

export type Finding = {
  readonly effect: Effect;
  /** The change of an object, such as "column dropped: users.claims". */
  readonly what: string;
  /** Of the object as it is now; null where it is gone. */
  readonly digest: string | null;
};

type Kind = CatalogueEntry['kind'];
/** The effect of each kind of object when it is gone, differs, or is added to a table of the version before. */
const EFFECTS: { readonly [Name in Kind]: Readonly<Partial<Record<'dropped' | 'changed' | 'added', Effect>>> } = {
  table: { dropped: 'contracts', changed: 'contracts' },
  view: { dropped: 'contracts' },
  sequence: { dropped: 'contracts' },
  column: { dropped: 'contracts' },
  function: { dropped: 'contracts', changed: 'contracts' },
  // To be without one takes more; but "on conflict" needs those that are unique.
  constraint: { changed: 'refuses', added: 'refuses' },
  'unique index': { dropped: 'contracts', changed: 'contracts', added: 'refuses' },
  trigger: { changed: 'refuses', added: 'refuses' },
};

/**
 * @param known the tables as the version before knows them.
 * @param before @param after the tables before and after the migration. No node uses objects of later tables yet.
 */
export function findingsOf(known: Catalogue, before: Catalogue, after: Catalogue): readonly Finding[] {
  const belongs = ({ of }: CatalogueEntry) => known.has(`table ${of}`) || known.has(`view ${of}`);
  const findings: Finding[] = [];
  const find = (effect: Effect | undefined, how: string, { kind, name }: CatalogueEntry, now?: CatalogueEntry) => {
    if (effect)
      findings.push({ effect, what: `${kind} ${how}: ${name}`, digest: now ? digestOf(now.definition) : null });
  };
  for (const [key, entry] of before) {
    const now = after.get(key);
    if (!now && known.has(key)) find(EFFECTS[entry.kind].dropped, 'dropped', entry);
    if (!now || now.definition === entry.definition || !belongs(entry)) continue;
    if (entry.kind === 'column') find(...columnChange(entry, now), entry, now);
    else find(EFFECTS[entry.kind].changed, 'changed', entry, now);
  }
  for (const [key, entry] of after) {
    if (before.has(key) || !belongs(entry)) continue;
    if (entry.kind !== 'column') find(EFFECTS[entry.kind].added, 'added', entry, entry);
    else if (!entry.mayBeOmitted && known.has(`table ${entry.of}`))
      find('refuses', 'added without default', entry, entry);
  }
  return findings.sort((one, other) => (one.what < other.what ? -1 : 1));
}

function columnChange(before: CatalogueEntry, now: CatalogueEntry): [Effect | undefined, string] {
  const without = ({ definition }: CatalogueEntry) => definition.replace(/( not null)?( default)?$/, '');
  if (without(before) !== without(now)) return ['contracts', 'retyped'];
  if (now.definition.includes(' not null') && !before.definition.includes(' not null')) return ['refuses', 'not null'];
  if (before.mayBeOmitted && !now.mayBeOmitted) return ['refuses', 'without default'];
  return [undefined, ''];
}

export const phaseOf = (findings: readonly Finding[]): 'expand' | 'contract' =>
  findings.some(({ effect }) => effect === 'contracts') ? 'contract' : 'expand';
