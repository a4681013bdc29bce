import { z } from 'zod';

/** An instant of the query, in years that Postgres and people have. */
export const instant = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((date) => date.getUTCFullYear() >= 1970 && date.getUTCFullYear() <= 9999, 'a year from 1970 to 9999');

/** An instant as the API shows it: RFC 3339, in UTC. */
export const shownInstant = z.iso.datetime();
