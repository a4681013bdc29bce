/** Loaded into each server before its own code: the server itself is not changed for being measured. */
import { answerQuestions } from './ipc.ts';

answerQuestions('cpuUsage', () => process.cpuUsage());

// The process that measures is gone, whatever became of it.
process.on('disconnect', () => process.exit(0));
