/** New passwords: which checks could be made. */
import { Counter, type Registry } from 'prom-client';
import { passwordChecks } from '../system/observed.ts';

/** @returns a function that ends the counting. */
export function countPasswordChecks(registry: Registry): () => void {
  const checks = new Counter({
    name: 'statehouse_password_checks_total',
    help: 'Checks of new passwords: made, or skipped because the list did not answer.',
    labelNames: ['check', 'outcome'],
    registers: [registry],
  });
  return passwordChecks.listen(({ check, outcome }) => checks.inc({ check, outcome }));
}
