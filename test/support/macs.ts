import { type RootKeys, rootKeys } from '../../src/crypto/root-secret.ts';
import { rowMacs } from '../../src/crypto/row-mac.ts';
import { authenticClients } from '../../src/storage/authentic-clients.ts';

export const testKeys: RootKeys = rootKeys(['a root secret for tests, of more than 32 bytes']);
/** As a server under these keys makes them. */
export const testMacs = rowMacs(testKeys);
export const testClients = authenticClients(testMacs);
