/** A browser at a client's web app, over the network: keeps its cookies, and stops at each redirect. */
export type Page = { readonly status: number; readonly location: string; readonly body: string };

export class Visitor {
  readonly #cookies = new Map<string, string>();

  async get(url: string | URL): Promise<Page> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const one of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      this.#cookies.set(name, value);
    }
    const body = await response.text();
    return { status: response.status, location: response.headers.get('location') ?? '', body };
  }
}
