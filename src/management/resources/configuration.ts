/** Policies and resources in force, read-only: changes go into the files. */
import { z } from 'zod';
import { policySchema, resourcesSchema } from '../../../policies/schema.ts';
import { POLICY_NAME } from '../../config/load.ts';
import { addressOf, links } from '../addresses.ts';
import { pageBody, pageOf, selfLink } from '../page.ts';
import { notFound } from '../problem.ts';
import { found, resource } from '../resource.ts';

const policyShape = z.object({ name: z.string(), ...policySchema.shape, _links: selfLink }).meta({ id: 'Policy' });
const resourceShape = z.object({ ...resourcesSchema.shape.resources.element.shape }).meta({ id: 'Resource' });

const policyDocument = (issuer: string, name: string, policy: object): object => ({
  name,
  ...policy,
  ...links({ self: addressOf(issuer, 'policies', name) }),
});

export const policies = resource('/policies', 'the policies', {}, (method) => ({
  GET: method({
    summary: 'The policies in force, by name: how long things live.',
    answer: pageOf(policyShape),
    run: async ({ issuer, configuration }, { href }) => {
      const items = [...configuration().policies].map(([name, policy]) => policyDocument(issuer, name, policy));
      return found(pageBody({ items, next: null }, href));
    },
  }),
}));

export const policy = resource(
  '/policies/{name}',
  'a policy',
  { name: z.string().max(100).regex(POLICY_NAME) },
  (method) => ({
    GET: method({
      summary: 'One policy in force.',
      answer: policyShape,
      run: async ({ issuer, configuration }, { params: { name } }) => {
        const inForce = configuration().policies.get(name);
        return inForce ? found(policyDocument(issuer, name, inForce)) : notFound('policy');
      },
    }),
  }),
);

export const resources = resource('/resources', 'the resources', {}, (method) => ({
  GET: method({
    summary:
      'The APIs that access tokens are for, with their scopes; this API and the UserInfo Endpoint are among them.',
    answer: pageOf(resourceShape),
    run: async ({ configuration }, { href }) => {
      const { resources: declared, identity, management } = configuration();
      return found(pageBody({ items: [...declared, identity, management], next: null }, href));
    },
  }),
}));
