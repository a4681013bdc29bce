/**
 * The thread that scores passwords. A check occupies a processor for up to half a second, which must not block the
 * thread that answers requests.
 */
import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import type { Scored } from './guessing.ts';

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

parentPort?.on('message', ({ password, names }: Scored) => {
  parentPort?.postMessage(zxcvbn.check(password, [...names]).score);
});
