/** The machines that run, as they are read. */
import { RUNNING } from '../../machines/running.ts';
import { type Machine, readMachine } from './read.ts';

export const MACHINES: ReadonlyMap<string, Machine> = new Map(
  Object.entries(RUNNING).map(([name, { config }]) => [name, readMachine(config)]),
);
