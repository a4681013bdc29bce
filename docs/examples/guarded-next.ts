import { createGuard } from 'statehouse/guard';
import { fetchGuard } from 'statehouse/guard/fetch';

/** In lib/photos.ts. */
export function photos(issuer: string, resource: string) {
  const guard = createGuard({ issuer, resource, scopes: ['read', 'write'], name: 'Photos' });
  const { requires, metadata } = fetchGuard(guard);
  type Context = { params: Promise<{ album: string }> };
  return {
    // In app/albums/[album]/route.ts: export const { GET, POST } = photos(…).album;
    album: {
      GET: requires({ scopes: ['read'] }, async (_request: Request, { subject }, { params }: Context) => {
        const { album } = await params;
        return Response.json({ subject, album, photos: [] });
      }),
      POST: requires({ scopes: ['write'] }, () => new Response(null, { status: 201 })),
    },
    // In app/.well-known/oauth-protected-resource/route.ts: export const { GET } = photos(…).metadata;
    metadata: { GET: metadata },
  };
}
