/** A plan, for people and for programs. */
import { printable } from '../../config/shown.ts';
import { json } from '../output.ts';
import type { Plan, Step } from './plan.ts';

const SIGNS: Readonly<Record<Step['action'], string>> = {
  create: '+',
  change: '~',
  delete: '-',
  none: ' ',
  refused: '!',
};

export const isChange = ({ action }: Step): boolean => action !== 'none' && action !== 'refused';

export function planText({ steps, notInFolder }: Plan): string {
  const shown = steps.filter(({ action, consequences }) => action !== 'none' || consequences.length > 0);
  return `${shown.map(stepText).join('')}${besideText(notInFolder)}${summary(steps)}`;
}

function stepText({ kind, name, action, changes, consequences, drift, problems }: Step): string {
  const said = drift && `changed on the server by ${printable(drift.actor)} at ${drift.at}`;
  const lines = [
    ...changes.map(({ field, from, to }) => `${printable(field)}: ${valueText(from)} → ${valueText(to)}`),
    ...problems,
    ...consequences,
    ...(said === null ? [] : [`drift: ${said}`]),
  ];
  return `${SIGNS[action]} ${action.padEnd(7)}  ${kind} ${printable(name)}\n${lines.map((line) => `      ${line}\n`).join('')}`;
}

const valueText = (value: unknown): string => (value === undefined ? 'nothing' : printable(JSON.stringify(value)));

const NAMED = 10;

function besideText(clients: readonly string[]): string {
  if (clients.length === 0) return '';
  const more = clients.length > NAMED ? `, and ${clients.length - NAMED} more` : '';
  const names = clients.slice(0, NAMED).map((name) => printable(name));
  return `  Clients of the server that no file names, and that stay as they are: ${names.join(', ')}${more}\n`;
}

export function summary(steps: readonly Step[]): string {
  const number = (action: Step['action']) => steps.filter((step) => step.action === action).length;
  if (!steps.some(({ action }) => action !== 'none'))
    return `Nothing to change: the server has all ${steps.length} records as they are here.\n`;
  return `${number('create')} to create, ${number('change')} to change, ${number('delete')} to delete, ${number('none')} as they are, ${number('refused')} refused.\n`;
}

export const planJson = ({ steps, notInFolder }: Plan): string =>
  json({
    steps: steps.map(({ carryOut: _, ...step }) => step),
    clients_not_in_folder: notInFolder,
  });
