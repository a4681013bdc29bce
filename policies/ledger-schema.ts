/** The schema of `ledger.yaml`: how long the ledger is kept. Units are in the keys. The file may be left out. */
import { z } from 'zod';

export const ledgerSchema = z.strictObject({
  keptDays: z
    .int()
    .min(30)
    .max(3660)
    .default(90)
    .describe(
      'Lines of the ledger are dropped with their month, once the whole month is older than this. The owner of the tables brings it into force: statehouse migrate.',
    ),
});

export type LedgerPolicy = z.output<typeof ledgerSchema>;
export const SHIPPED_LEDGER: LedgerPolicy = ledgerSchema.parse({});
