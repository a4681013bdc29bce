/** Mutants that no test can or should notice, with the reason. The report counts them apart. */
export type Explained = {
  readonly file: string;
  /** The line in which the mutation begins, trimmed. */
  readonly source: string;
  /** Stryker's names of the kinds of mutation; left out: all of that line. */
  readonly mutators?: readonly string[];
  readonly why: string;
};

export const explained: readonly Explained[] = [
  {
    file: 'src/engine/decide.ts',
    source: 'const [transition] = machine.getTransitionData(snapshot, event) ?? [];',
    why: 'XState returns a list, empty when no arm answers; the type alone also says undefined.',
  },
  {
    file: 'src/engine/decide.ts',
    source: 'const to = transition.target?.[0]?.key ?? from;',
    mutators: ['OptionalChaining'],
    why: 'A list of targets is never empty; the compiler does not know it.',
  },
  {
    file: 'src/engine/decide.ts',
    source: 'if (flat.has(machine)) return;',
    mutators: ['ConditionalExpression'],
    why: 'Saves time: a machine that passed would pass again.',
  },
  {
    file: 'src/engine/decide.ts',
    source: 'flat.add(machine);',
    why: 'Saves time: a machine that passed would pass again.',
  },
  {
    file: 'src/engine/run.ts',
    source: "if (reply.kind === 'committed' && reply.committed) return answered;",
    mutators: ['ConditionalExpression'],
    why: 'Only a reply of this kind has `committed`; the kind is there for the compiler.',
  },
  {
    file: 'src/engine/run.ts',
    source: 'let unavailable = new StoreUnavailable(false);',
    why: 'Every list of waits has one entry at least, whose failure replaces it.',
  },
  {
    file: 'src/engine/run.ts',
    source: "return { kind: 'unavailable', error: unavailable };",
    why: 'The loop asks of a reload whether it is loaded; why it is not is told by the commit that was lost.',
  },
];
