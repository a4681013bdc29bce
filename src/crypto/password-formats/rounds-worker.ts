/** The thread that computes one digest in rounds. It must not block the thread that answers requests. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Rounds, resultOf } from './rounds.ts';

parentPort?.postMessage(resultOf(workerData as Rounds));
