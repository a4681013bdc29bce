/** Drafts of policy files, and their consequences in numbers. Nothing is stored: the files stay the source of the policy. */
import { z } from 'zod';
import { type BacktestDocument, backtest } from '../../backtest/backtest.ts';
import { draftableFiles, draftedConfiguration, textOfFile } from '../../config/drafts.ts';
import { DRAFTABLE_FILE } from '../../config/load.ts';
import { unifiedDiff } from '../../config/unified-diff.ts';
import { addressOf, links } from '../addresses.ts';
import { pageBody, pageOf, selfLink } from '../page.ts';
import { notFound, problem } from '../problem.ts';
import { found, resource } from '../resource.ts';

const fileName = z.string().max(100).regex(DRAFTABLE_FILE, 'NAME.policy.yaml or resources.yaml');
const count = z.int().nonnegative();

const fileShape = z.object({ file: z.string(), _links: selfLink }).meta({ id: 'PolicyFileEntry' });
const textShape = z.object({ file: z.string(), yaml: z.string(), _links: selfLink }).meta({ id: 'PolicyFile' });

export const policyFiles = resource('/policy-files', 'the policy files', {}, (method) => ({
  GET: method({
    summary: 'The files that a draft can change: policies, and the resources.',
    answer: pageOf(fileShape),
    run: async ({ issuer, configFolder }, { href }) => {
      const items = draftableFiles(configFolder).map((file) => ({
        file,
        ...links({ self: addressOf(issuer, 'policy-files', file) }),
      }));
      return found(pageBody({ items, next: null }, href));
    },
  }),
}));

export const policyFile = resource('/policy-files/{file}', 'a policy file', { file: fileName }, (method) => ({
  GET: method({
    summary: 'The text of one policy file, as the node that answers has it.',
    answer: textShape,
    run: async ({ issuer, configFolder }, { params: { file } }) => {
      const yaml = textOfFile(configFolder, file);
      if (yaml === null) return notFound('policy file');
      return found({ file, yaml, ...links({ self: addressOf(issuer, 'policy-files', file) }) });
    },
  }),
}));

const reasons = z.array(z.object({ reason: z.string(), count }));
const livingCounts = z.object({ total: count, end_now: count.describe('The server refuses them from now on.') });
const livingShape = livingCounts.extend({
  by_reason: reasons,
  by_client: z.array(livingCounts.extend({ client_id: z.string() })).describe('The 20 clients with the most.'),
  other_clients: livingCounts.nullable().describe('All others together; null: none.'),
});
const replayedCounts = z.object({
  total: count.describe('The accepted ones of the period.'),
  refused: count.describe('Refused under the draft; of each grant the first refusal counts.'),
  following: count.describe('Later ones of grants that were refused before: they would not have come.'),
});
const replayedShape = replayedCounts.extend({
  refused_before: count.describe('Refused under the configuration in force, too, which was another then.'),
  by_reason: reasons,
  by_client: z.array(replayedCounts.extend({ client_id: z.string() })).describe('The 20 clients with the most.'),
  other_clients: replayedCounts.nullable().describe('All others together; null: none.'),
});

const backtestShape = z
  .object({
    problems: z
      .array(z.object({ file: z.string(), line: z.int().positive().nullable(), says: z.string() }))
      .describe('Why the server would refuse the draft. Empty: it would not.'),
    patch: z.string().describe('The change as a unified diff, for `git apply` or `patch -p1`. Empty: nothing differs.'),
    consequences: z
      .object({
        now: z.iso.datetime(),
        period: z.object({ from: z.iso.datetime(), to: z.iso.datetime() }),
        ledger_begins_at: z.iso.datetime().nullable().describe('Null: it is empty.'),
        complete: z.boolean().describe('False: the time of a request ended first, and the numbers are of a part.'),
        living_chains: livingShape.extend({ lose_scope: count.describe('Those that continue with a smaller scope.') }),
        living_codes: livingShape,
        refreshes: replayedShape,
        code_exchanges: replayedShape,
        says: z.array(z.string()).describe('The same in sentences.'),
        not_replayed: z.array(z.string()).describe('The limits of the numbers, in sentences.'),
      })
      .nullable()
      .describe('Null: the draft has problems.'),
  })
  .meta({ id: 'Backtest' });

const DAY_MILLISECONDS = 86_400_000;
/** Of the time that a request has for the database: the last page may take the rest. */
const WORK_MILLISECONDS = 6000;
/** A backtest keeps the process busy, which serves others too. */
let isRunning = false;

export const backtests = resource('/backtests', 'the backtests', {}, (method) => ({
  POST: method({
    summary:
      'The consequences of a drafted policy file in numbers: chains that end now, and requests of the last days that the server would have refused. Nothing is stored.',
    body: z.strictObject({
      file: fileName.describe('The file that the draft stands for.'),
      yaml: z.string().max(65_536).describe('The whole text of the file.'),
      days: z.int().min(1).max(31).default(7).describe('The period ends now, and is so many days long.'),
    }),
    example: { file: 'default.policy.yaml', yaml: 'accessTokenLifetimeSeconds: 900\n…', days: 7 },
    answer: backtestShape,
    secret: true,
    run: async (deps, { body: { file, yaml, days } }) => {
      const { configuration, configFolder, issuer } = deps;
      const patch = unifiedDiff(file, textOfFile(configFolder, file), yaml);
      const drafted = draftedConfiguration(configuration(), configFolder, issuer, { file, text: yaml });
      if (!drafted.ok) return found({ problems: drafted.problems, patch, consequences: null });
      if (isRunning)
        return problem('temporarily_unavailable', 'Another backtest is running. Try again in some seconds.');
      isRunning = true;
      try {
        const began = performance.now();
        const ports = {
          ...deps,
          loadClient: async (clientId: string) => (await deps.store.loadClient(clientId)).client,
          mayContinue: () => performance.now() - began < WORK_MILLISECONDS,
        };
        const sides = { before: { configuration: configuration() }, after: { configuration: drafted.configuration } };
        const consequences: BacktestDocument = await backtest(ports, sides, days * DAY_MILLISECONDS);
        return found({ problems: [], patch, consequences });
      } finally {
        isRunning = false;
      }
    },
  }),
}));
