import type { Command } from 'commander';

/** Leads from the help of a group to that of its commands. */
export function addExample(group: Command): void {
  const example = `statehouse ${group.name()} ${group.commands.at(-1)?.name()} --help`;
  group.addHelpText('after', `\nEach has its own --help, e.g. "${example}".`);
}
