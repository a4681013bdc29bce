/** The images and fonts of this server's pages, from its own memory and database: without cookies, and without another server. */
import type { FastifyReply } from 'fastify';
import fp from 'fastify-plugin';
import type { FontFile, Image } from '../model/image.ts';

export type ImageRoutesOptions = {
  /** An image of a client. Null: the hash was not found. */
  readonly findImage: (hash: string) => Promise<Image | null>;
};

const HASH = /^[A-Za-z0-9_-]{43}$/;
const DAY = 86_400;
/** The path contains the hash. */
const FOREVER = `public, max-age=${365 * DAY}, immutable`;

export const imageRoutes = fp<ImageRoutesOptions>(
  async (app, { findImage }) => {
    app.get('/images/:hash', async (request, reply) => {
      const { hash } = request.params as { readonly hash: string };
      if (!HASH.test(hash)) return reply.callNotFound();
      const image = app.looks.brand().images.find((one) => one.hash === hash) ?? (await findImage(hash));
      if (image === null) return reply.callNotFound();
      return send(reply, image, FOREVER);
    });
    app.get('/fonts/:hash', async (request, reply) => {
      const { hash } = request.params as { readonly hash: string };
      const font = app.looks.brand().fonts.find((one) => one.hash === hash);
      return font === undefined ? reply.callNotFound() : send(reply, font, FOREVER);
    });
    // Browsers request it by this name where a response is no page.
    app.get('/favicon.ico', (_request, reply) => send(reply, app.looks.brand().favicon, `public, max-age=${DAY}`));
  },
  { name: 'image-routes', dependencies: ['looks'], encapsulate: true },
);

/** An SVG that a browser opens as a page runs no script, loads no resource, and has an origin of its own. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

const send = (reply: FastifyReply, { type, bytes }: Image | FontFile, cacheControl: string): FastifyReply =>
  reply
    .headers({
      'content-type': type,
      'cache-control': cacheControl,
      'content-security-policy': FILE_POLICY,
      'cross-origin-resource-policy': 'same-origin',
    })
    .send(Buffer.from(bytes));
