/** The browser without rendering, at a server in another process. */
import type { FastifyInstance } from 'fastify';
import { type Answer, Browser } from './browser.ts';

export class RemoteBrowser extends Browser {
  readonly #origin: string;

  /** @param origin of the server, such as http://localhost:3000. */
  constructor(origin: string) {
    super({} as FastifyInstance);
    this.#origin = origin;
  }

  override async send(method: 'GET' | 'POST', url: string, body: string | null): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(url, this.#origin), {
      method,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie,
        ...(body !== null && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body,
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.cookies.set(name, value);
    }
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
      url,
    };
  }
}
