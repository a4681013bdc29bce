/** The plans of an approval without a page and of a rotation, as Postgres runs them (auto_explain). */
import type { Writer } from './writer.ts';

export async function explained({ approve, rotate, sql, notices }: Writer): Promise<string> {
  // The first time exchanges codes, prepares and plans.
  for (const write of [approve, rotate]) await write();
  await sql.unsafe(`load 'auto_explain'; set auto_explain.log_level = notice; set auto_explain.log_min_duration = 0;
    set auto_explain.log_analyze = on; set auto_explain.log_buffers = on; set auto_explain.log_wal = on;
    set auto_explain.log_triggers = on`);
  const plans: string[] = [];
  for (const write of [approve, rotate]) {
    await write();
    plans.push(notices.findLast((notice) => notice.includes('with "')) ?? 'no plan');
    notices.length = 0;
  }
  return `${plans.join('\n\n')}\n`;
}
