/** MACs of the floor: one key, and values that are compared as MACs or hashes only. */
import { createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto';
import { SERVER_SECRET } from '../setting.ts';

/** Set up once, as Statehouse does. */
const KEY = createSecretKey(SERVER_SECRET, 'utf8');

export const mac = (purpose: string, value: string | Uint8Array): Buffer =>
  createHmac('sha256', KEY).update(purpose).update(value).digest();

export const sha256 = (value: string | Uint8Array): Buffer => hash('sha256', value, 'buffer');

export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
