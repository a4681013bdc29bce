/**
 * The rows of a raw statement: postgres.js answers with the rows, PGlite with an object that has them.
 * @typeParam Row the shape that the statement selects.
 */
export const rawRows = <Row>(answer: unknown): readonly Row[] =>
  Array.isArray(answer) ? answer : (answer as { readonly rows: readonly Row[] }).rows;
