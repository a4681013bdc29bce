/** Verifications of the ledger, in slices of bounded work. Nothing is stored: each answer has the place where the next slice begins. */
import { z } from 'zod';
import { problemWords } from '../../ledger/problem-words.ts';
import { newerSchema } from '../../ledger/verify.ts';
import { type VerifiedSlice, verifySlice } from '../../ledger/verify-slice.ts';
import { storedLedger } from '../../storage/ledger-seals.ts';
import { cursorText, cursorValue } from '../page.ts';
import { problem } from '../problem.ts';
import { found, resource } from '../resource.ts';

const count = z.int().nonnegative();
const entryName = z.string().max(48);

const problemShape = z.object({
  problem: z.string().max(40).describe('As `statehouse ledger verify --json` names it.'),
  segment: z.int().nullable().describe('Null: of no segment.'),
  says: z.string().max(400).describe('The same as a sentence.'),
});
type Found = z.infer<typeof problemShape>;

const MAX_SHOWN = 20;

/** The place where the next slice begins, and the result so far. */
const positionSchema = z.strictObject({
  newer: newerSchema.nullable(),
  head: z.strictObject({ number: z.int(), digest: z.string().max(64) }).nullable(),
  problems: z.array(problemShape).max(MAX_SHOWN),
  problemCount: count,
  untrustedCount: count,
  open: count,
  firstSealedAt: z.string().max(40).nullable(),
  firstEntry: entryName.nullable(),
  lastEntry: entryName.nullable(),
});
type Position = z.infer<typeof positionSchema>;

const shape = z
  .object({
    problems: z
      .array(problemShape)
      .describe(`The ${MAX_SHOWN} with the lowest segments so far. Empty: none was found.`),
    problem_count: count.describe('All so far.'),
    untrusted_count: count.describe('Those among them with the problem `key_unknown`, which says nothing of a change.'),
    segments: count.describe('The segments that were verified so far, from the newest back.'),
    segments_left: count.describe('About how many follow.'),
    lines: count.describe('The entries in these segments.'),
    lines_removed_by_retention: count,
    open_lines: count.describe('Entries that were in no segment when the verification began. They were not verified.'),
    first_segment: z.int().nullable().describe('The oldest so far.'),
    first_sealed_at: z.string().nullable(),
    first_entry: entryName.nullable().describe('The oldest so far: its transaction and its position.'),
    last_entry: entryName.nullable(),
    head: z
      .object({ segment: z.int(), digest: z.string(), sealed_at: z.string() })
      .nullable()
      .describe('The newest segment. Null: none.'),
    next: z.string().nullable().describe('The `position` of the next request. Null: the verification is complete.'),
  })
  .meta({ id: 'LedgerVerification' });

const position = z
  .string()
  .min(1)
  .max(32_768)
  .transform((text, context) => {
    const read = positionSchema.safeParse(cursorValue(text));
    if (read.success) return read.data;
    context.addIssue('expected "next" of an answer');
    return z.NEVER;
  })
  .describe('`next` of the previous answer, of any node. Absent: from the newest segment.');

const HEAD = /^(?<number>\d{1,15}):(?<digest>[0-9a-f]{64})$/;

/** A verification keeps the process busy, which serves others too. */
let isRunning = false;

export const ledgerVerifications = resource(
  '/ledger-verifications',
  'the verifications of the ledger',
  {},
  (method) => ({
    POST: method({
      summary:
        'Verifies the next part of the ledger, from the newest segment back. Nothing is stored: send `next` of the answer as `position`, until it is null.',
      body: z.strictObject({
        position: position.optional(),
        head: z
          .string()
          .regex(HEAD)
          .optional()
          .describe(
            'With the first request: `NUMBER:DIGEST` of a seal from the log of a server, which the ledger has to contain.',
          ),
      }),
      example: {},
      answer: shape,
      secret: true,
      run: async ({ db, clock, seals }, { body: { position, head } }) => {
        const so = position ?? beginning(headIn(head));
        if (isRunning)
          return problem('temporarily_unavailable', 'Another verification is running. Try again in some seconds.');
        isRunning = true;
        try {
          const slice = await verifySlice(storedLedger(db, clock), seals(), so);
          return found(answerOf(so, slice));
        } finally {
          isRunning = false;
        }
      },
    }),
  }),
);

function headIn(text: string | undefined): Position['head'] {
  const { number, digest } = HEAD.exec(text ?? '')?.groups ?? {};
  return number === undefined || digest === undefined ? null : { number: Number(number), digest };
}

const beginning = (head: Position['head']): Position => ({
  newer: null,
  head,
  problems: [],
  problemCount: 0,
  untrustedCount: 0,
  open: 0,
  firstSealedAt: null,
  firstEntry: null,
  lastEntry: null,
});

/** The result of the slices so far, with the place of the next one. */
function answerOf(so: Position, { verified, next, entries, sealedSince, left, open }: VerifiedSlice): object {
  const found: readonly Found[] = verified.problems.map((problem) => ({
    problem: problem.problem,
    segment: problem.segment,
    says: problemWords(problem),
  }));
  const position: Position = {
    newer: next,
    head: so.head,
    problems: [...found, ...so.problems].slice(0, MAX_SHOWN),
    problemCount: so.problemCount + found.length,
    untrustedCount: so.untrustedCount + found.filter(({ problem }) => problem === 'key_unknown').length,
    open: open ?? so.open,
    firstSealedAt: sealedSince ?? so.firstSealedAt,
    firstEntry: entries?.first ?? so.firstEntry,
    lastEntry: so.lastEntry ?? entries?.last ?? null,
  };
  return {
    problems: position.problems,
    problem_count: position.problemCount,
    untrusted_count: position.untrustedCount,
    segments: verified.segments,
    segments_left: left,
    lines: verified.lines,
    lines_removed_by_retention: verified.removedByRetention,
    open_lines: position.open,
    first_segment: verified.first,
    first_sealed_at: position.firstSealedAt,
    first_entry: position.firstEntry,
    last_entry: position.lastEntry,
    head: verified.head && {
      segment: verified.head.number,
      digest: verified.head.digest,
      sealed_at: verified.head.sealedAt,
    },
    next: next && cursorText(position),
  } satisfies z.infer<typeof shape>;
}
