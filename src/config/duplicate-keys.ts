/** A key that is written twice in one map of a YAML file: which one, and where it was first. */
import { type Document, isPair, isScalar, type Pair, visit } from 'yaml';

type Path = readonly PropertyKey[];
export type DuplicateKey = {
  readonly path: Path;
  /** Where the same key was first, in characters from the start of the file. */
  readonly firstAt: number;
};

const offsetOf = ({ key }: Pair): number | null => (isScalar(key) && key.range ? key.range[0] : null);

/** @param offset of the second key, as YAML's error names it. @returns null for a key that is not a scalar. */
export function duplicateKeyAt(document: Document, offset: number): DuplicateKey | null {
  let found: DuplicateKey | null = null;
  visit(document, {
    Map(_key, map, ancestors) {
      const again = map.items.find((pair) => offsetOf(pair) === offset);
      if (again === undefined || !isScalar(again.key)) return undefined;
      const name = String(again.key.value);
      const first = map.items.find(({ key }) => isScalar(key) && String(key.value) === name);
      found = { path: [...pathOf([...ancestors, map]), name], firstAt: (first && offsetOf(first)) ?? offset };
      return visit.BREAK;
    },
  });
  return found;
}

/** @param nodes from the document to the innermost map. */
function pathOf(nodes: readonly unknown[]): PropertyKey[] {
  return nodes.flatMap((node, index): PropertyKey[] => {
    const inner = nodes[index + 1];
    if (isPair(node)) return [String(isScalar(node.key) ? node.key.value : node.key)];
    const items = (node as { readonly items?: readonly unknown[] }).items ?? [];
    const place = items.indexOf(inner);
    return place >= 0 && !isPair(inner) ? [place] : [];
  });
}
