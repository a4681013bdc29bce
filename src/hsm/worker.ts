/** The thread that talks to the device: one call after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Answers, Call, Failure, Question, Reply } from './calls.ts';
import { Device, DeviceRefuses } from './device.ts';

const device = new Device(workerData);
/** Once the device has refused the PIN, it is not tried again: a few more tries would lock it. */
let refused: DeviceRefuses | null = null;

function answer(asked: Call): Answers[Call['call']] | Promise<Answers[Call['call']]> {
  if (refused) throw refused;
  switch (asked.call) {
    case 'check':
      return device.check();
    case 'make':
      return device.make(asked.alg);
    case 'sign':
      return device.sign(asked.kid, asked.alg, asked.input);
    case 'destroy':
      return device.destroy(asked.kid);
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof DeviceRefuses) refused = error;
  // The messages of pkcs11js are names of return values, such as CKR_DEVICE_ERROR.
  return { words: error instanceof Error ? error.message : 'unknown', isFinal: error instanceof DeviceRefuses };
}

let before: Promise<unknown> = Promise.resolve();
parentPort?.on('message', ({ id, ...asked }: Question) => {
  before = before.then(async () => {
    let reply: Reply;
    try {
      reply = { id, answer: await answer(asked as Call) };
    } catch (error) {
      reply = { id, failure: failureOf(error) };
    }
    parentPort?.postMessage(reply);
  });
});
