/** A browser without rendering: keeps its cookies and submits forms. It follows a redirect only on request. */

import type { Reply, Send } from './http.ts';
import type { Fields } from './requests.ts';

/** The browser of an end-user who has signed in. `cookie`: its header. */
export type SignedIn = { readonly cookie: string; readonly userId: string };

export class Browser {
  readonly #send: Send;
  readonly #cookies = new Map<string, string>();
  #url: string;

  constructor(send: Send, url: string) {
    this.#send = send;
    this.#url = url;
  }

  get(url: string): Promise<Reply> {
    return this.#go(url);
  }

  /** Where the answer redirects to. */
  follow(reply: Reply): Promise<Reply> {
    return this.#go(reply.headers.location ?? '');
  }

  /** The first form of the page, with its hidden fields. */
  submit(page: Reply, fields: Fields): Promise<Reply> {
    const action = /<form\b[^>]*\baction="(?<url>[^"]*)"/.exec(page.text)?.groups?.['url'] ?? '';
    const hidden = page.text.matchAll(/<input type="hidden" name="(?<name>[^"]*)" value="(?<value>[^"]*)"/g);
    const given = [...hidden].map(({ groups }) => [groups?.['name'] ?? '', unescaped(groups?.['value'] ?? '')]);
    return this.#go(unescaped(action), { ...Object.fromEntries(given), ...fields });
  }

  async #go(to: string, form?: Fields): Promise<Reply> {
    const url = new URL(to, this.#url).href;
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await this.#send({ url, ...(cookie !== '' && { cookie }), ...(form && { form }) });
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [pair = ''] = line.split(';');
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    this.#url = url;
    return reply;
  }
}

const unescaped = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
