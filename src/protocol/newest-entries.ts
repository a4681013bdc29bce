/** A map that a visitor can fill keeps its newest entries. */

/** To be called after each new entry. The map has its oldest entry first: to make one the newest, delete it before it is set. */
export function keepNewest(entries: Map<string, unknown>, most: number): void {
  const [oldest] = entries.size > most ? entries.keys() : [];
  if (oldest !== undefined) entries.delete(oldest);
}
