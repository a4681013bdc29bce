/** An instant in the record of an import. */
import { z } from 'zod';
import { expecting } from '../../policies/expectations.ts';

/** Postgres and ISO 8601 write years of four digits alike. Others would fail in the database, with every record beside it. */
const hasPlainYear = (value: string): boolean => {
  const year = new Date(value).getUTCFullYear();
  return year >= 1 && year <= 9999;
};

export const importedInstant = expecting(
  z.iso.datetime({ offset: true }).refine(hasPlainYear),
  'an instant such as "2026-01-31T12:00:00Z"',
);
