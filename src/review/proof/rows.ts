/** Rows of a walk, which are never changed. */
export const put = <Row extends { readonly id: string }>(rows: readonly Row[], row: Row | null): readonly Row[] => {
  if (row === null) return rows;
  return rows.some(({ id }) => id === row.id) ? rows.map((one) => (one.id === row.id ? row : one)) : [...rows, row];
};
