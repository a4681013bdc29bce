/** MACs of the floor: one key, and values that are compared as MACs or hashes only. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { SERVER_SECRET } from '../setting.ts';

export const mac = (purpose: string, value: string | Uint8Array): Buffer =>
  createHmac('sha256', SERVER_SECRET).update(purpose).update(value).digest();

export const sha256 = (value: string | Uint8Array): Buffer => createHash('sha256').update(value).digest();

export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
