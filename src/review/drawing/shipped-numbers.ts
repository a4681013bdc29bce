/** The numbers of a configuration, and of the shipped configuration. */
import { fileURLToPath } from 'node:url';
import type { Policy } from '../../../policies/schema.ts';
import { type Configuration, DEFAULT_POLICY } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import type { Numbers } from './policy-numbers.ts';

export const numbersIn = ({ signIn, signingKeys }: Configuration, policyName: string, policy: Policy): Numbers => ({
  policyName,
  policy,
  signIn,
  signingKeys,
});

/** From `policies/`: the numbers in the committed pictures. */
export function shippedNumbers(): Numbers {
  const folder = fileURLToPath(new URL('../../../policies', import.meta.url));
  const configuration = loadConfiguration(folder, 'http://localhost:3000');
  const policy = configuration.policies.get(DEFAULT_POLICY);
  if (!policy) throw new Error(`there is no policy ${DEFAULT_POLICY}`);
  return numbersIn(configuration, DEFAULT_POLICY, policy);
}
