import { z } from 'zod';

/** Members that requests may send back as they were shown. */
export const readOnly = <Members extends Readonly<Record<string, z.ZodType>>>(members: Members) =>
  Object.fromEntries(Object.keys(members).map((name) => [name, z.unknown().optional().describe('Only shown.')])) as {
    readonly [Name in keyof Members]: z.ZodOptional<z.ZodUnknown>;
  };
