/**
 * Runs beside a test process that starts others, which stands at the other end of its standard input and writes `+pid` and
 * `-pid` there, a line each. However that process ends, kill -9 included, the input ends too: then all that still run are killed.
 */
import { createInterface } from 'node:readline';

const running = new Set<number>();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const pid = Number(line.slice(1));
    if (line.startsWith('+')) running.add(pid);
    else running.delete(pid);
  })
  .on('close', () => {
    for (const pid of running) kill(pid);
  });

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended before the check.
  }
}
