import { Hono } from 'hono';
import { createGuard } from 'statehouse/guard';
import { honoGuard } from 'statehouse/guard/hono';

export function honoApi(issuer: string, resource: string) {
  const guard = createGuard({ issuer, resource, scopes: ['read', 'write'], name: 'Photos' });
  const { requires, metadata } = honoGuard(guard);

  const app = new Hono();
  app.use(metadata);
  app.get('/photos', requires({ scopes: ['read'] }), (context) =>
    context.json({ subject: context.var.access.subject, photos: [] }),
  );
  app.post('/photos', requires({ scopes: ['write'] }), (context) => context.body(null, 201));
  return app;
}
