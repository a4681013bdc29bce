import fastify, { type FastifyInstance } from 'fastify';
import { fastifyGuard } from 'statehouse/guard/fastify';

const STRONG = ['urn:statehouse:acr:multi-factor', 'urn:statehouse:acr:phishing-resistant'];

/** @param resource the identifier of this API in the server's resources.yaml, exactly as written there. */
export async function protectedFastifyApi(issuer: string, resource: string): Promise<FastifyInstance> {
  const app = fastify();
  await app.register(fastifyGuard, { issuer, resource, name: 'Photos' });

  app.get('/photos', { config: { scopes: ['read'] } }, async ({ access }) => ({
    // The end-user, or the client itself where it acts for itself.
    subject: access?.subject,
    clientId: access?.clientId,
    photos: [],
  }));
  app.post('/photos', { config: { scopes: ['write'] } }, (_request, reply) => reply.code(201).send());
  // Worth more than a password: a second factor or a passkey, at most five minutes ago (RFC 9470).
  app.delete('/photos', { config: { scopes: ['write'], acrValues: STRONG, maxAgeSeconds: 300 } }, (_request, reply) =>
    reply.code(204).send(),
  );
  app.get('/status', { config: { public: true } }, async () => ({ status: 'ok' }));
  return app;
}
