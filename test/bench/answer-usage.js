/**
 * Loaded into each server before its own code: the server itself is not changed for being measured. Plain JavaScript, so that a
 * server that strips no types at its start does not have to do so for this.
 */
import process from 'node:process';

const ANSWERS = { cpuUsage: () => process.cpuUsage(), memory: () => process.memoryUsage.rss() };

process.on('message', ({ id, name }) => {
  const answer = ANSWERS[name];
  if (answer) process.send?.({ id, answer: answer() });
});

// The process that measures is gone, whatever became of it.
process.on('disconnect', () => process.exit(0));
