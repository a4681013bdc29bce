/** Signing keys whose private halves are in a PKCS#11 device. */
import { Worker } from 'node:worker_threads';
import { IN_DEVICE, type KeySource } from '../crypto/key-source.ts';
import type { StoredSigningKey } from '../crypto/signing-keys.ts';
import { Unavailable } from '../engine/errors.ts';
import type { SigningAlgorithm } from '../oauth/signing-algorithms.ts';
import { deadlines } from '../system/deadlines.ts';
import { ReportedError } from '../system/reported-error.ts';
import type { Answers, Call, Failure, Reply } from './calls.ts';
import type { DeviceSettings } from './settings.ts';

/** The device, its library, its token or its PIN. The message has none of its secrets. */
export class DeviceFails extends ReportedError {
  override readonly isFinal: boolean;
  constructor({ words, isFinal }: Failure) {
    super(`The PKCS#11 device cannot be used: ${words}.`);
    this.isFinal = isFinal;
  }
}

export type KeysInDevice = KeySource & {
  /** Lets the thread end. */
  readonly close: () => Promise<void>;
};

/** Far longer than any request takes. */
const LATE_MILLISECONDS = 600_000;

/** @param inDatabase for keys that were made before there was a device: they sign to the end of their time. */
export function keysInDevice(
  settings: DeviceSettings,
  inDatabase: KeySource,
  now: () => number = () => performance.now(),
): KeysInDevice {
  const thread = deviceThread(settings);
  const asking = async <Name extends Call['call']>(call: Extract<Call, { call: Name }>): Promise<Answers[Name]> => {
    try {
      return await thread.ask(call);
    } catch (error) {
      throw new Unavailable('signing_unavailable', { cause: error });
    }
  };
  /** Made by this process, and not seen in the table yet; when, in milliseconds. */
  const fresh = new Map<string, number>();
  /** Not in the device: destroyed, or never there. */
  const gone = new Set<string>();
  const destroy = async (kid: string) => {
    await asking({ call: 'destroy', kid });
    fresh.delete(kid);
    gone.add(kid);
  };
  const make = async (alg: SigningAlgorithm): Promise<StoredSigningKey> => {
    const { kid, publicJwk } = await asking({ call: 'make', alg });
    fresh.set(kid, now());
    // Operators type it: a leading "-" (one kid in 64) would be read as an option.
    if (!kid.startsWith('-')) return { kid, alg, publicJwk, privateJwe: IN_DEVICE };
    await destroy(kid);
    return make(alg);
  };
  return {
    make,
    open: async (stored) => {
      if (stored.privateJwe !== IN_DEVICE) return inDatabase.open(stored);
      const { kid, alg } = stored;
      return {
        kid,
        alg,
        signElsewhere: async (input) => Buffer.from(await asking({ call: 'sign', kid, alg, input })),
      };
    },
    destroyErased: async (table) => {
      const stored = new Set(table.map(({ kid }) => kid));
      const erased = table.filter(({ privateJwe }) => privateJwe === null).map(({ kid }) => kid);
      // A node that was not the first to store its key drops it. A key of a moment ago may be on its way to the table.
      const isLate = (madeAt: number) => now() - madeAt > LATE_MILLISECONDS;
      const dropped = [...fresh].flatMap(([kid, madeAt]) => (!stored.has(kid) && isLate(madeAt) ? kid : []));
      for (const kid of stored) fresh.delete(kid);
      for (const kid of [...erased, ...dropped]) if (!gone.has(kid)) await destroy(kid);
    },
    check: async () => {
      await thread.ask({ call: 'check' });
    },
    close: thread.close,
  };
}

type Waiting = { readonly resolve: (answer: never) => void; readonly reject: (error: Error) => void };

function deviceThread({ module, token, pin }: DeviceSettings) {
  const workerData: DeviceSettings = { module, token, pin };
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let last = 0;
  const settle = (id: number): Waiting | undefined => {
    const found = waiting.get(id);
    waiting.delete(id);
    // A command ends when nothing is asked any more.
    if (waiting.size === 0) worker?.unref();
    return found;
  };
  const begin = (): Worker => {
    const begun = new Worker(new URL('./worker.ts', import.meta.url), { workerData, execArgv: [] });
    begun.on('message', (reply: Reply) => {
      const asked = settle(reply.id);
      if ('failure' in reply) asked?.reject(new DeviceFails(reply.failure));
      else asked?.resolve(reply.answer as never);
    });
    const ended = () => {
      if (worker === begun) worker = null;
      for (const id of [...waiting.keys()]) {
        settle(id)?.reject(new DeviceFails({ words: 'its thread ended', isFinal: false }));
      }
    };
    begun.on('error', ended);
    begun.on('exit', ended);
    return begun;
  };
  return {
    /** @throws DeviceFails */
    ask: <Name extends Call['call']>(call: Extract<Call, { call: Name }>): Promise<Answers[Name]> => {
      worker ??= begin();
      const asked = worker;
      asked.ref();
      const id = ++last;
      return new Promise((resolve, reject) => {
        const impatience = setTimeout(() => {
          settle(id)?.reject(new DeviceFails({ words: 'it does not answer', isFinal: false }));
        }, deadlines.otherServerMilliseconds);
        impatience.unref();
        const over =
          <T>(then: (value: T) => void) =>
          (value: T) => {
            clearTimeout(impatience);
            then(value);
          };
        waiting.set(id, { resolve: over(resolve as (answer: never) => void), reject: over(reject) });
        asked.postMessage({ ...call, id });
      });
    },
    close: async () => {
      await worker?.terminate();
    },
  };
}
