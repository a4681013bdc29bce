/** How far a reader of the ledger is: a place of its own on one Postgres, and on a cluster one of each recording node besides. */
import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';

type OfNode<Place> = Place & { readonly node: number };
export type PlacesOfNodes<Place> = Place & { readonly nodes: readonly OfNode<Place>[] };

/** @param node undefined: the one Postgres of before. @param start of a node that has no place yet. */
export const placeOf = <Place>(places: PlacesOfNodes<Place>, node: number | undefined, start: Place): Place =>
  node === undefined ? places : (places.nodes.find((one) => one.node === node) ?? start);

/** @param node undefined: the one Postgres of before. */
export const withPlace = <Place>(
  places: PlacesOfNodes<Place>,
  node: number | undefined,
  place: Place,
): PlacesOfNodes<Place> =>
  node === undefined
    ? { ...places, ...place }
    : { ...places, nodes: [...places.nodes.filter((one) => one.node !== node), { ...place, node }] };

/** The condition that no other server has moved the places meanwhile. */
export const areStill = (column: AnyPgColumn, nodes: readonly OfNode<unknown>[]): SQL =>
  sql`coalesce(${column}, '[]'::jsonb) = ${JSON.stringify(nodes)}::jsonb`;
