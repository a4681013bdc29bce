/** A browser without rendering: keeps cookies, follows this server's redirects, submits forms. Stops at a redirect to the client. */

type Sent = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly remoteAddress: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
};
type Reply = {
  readonly statusCode: number;
  readonly headers: Answer['headers'];
  readonly body: string;
  readonly cookies: readonly { readonly name: string; readonly value: string }[];
};
/** An app of Fastify, as far as a browser needs it: it answers without a port. */
export type Answering = { readonly inject: (request: Sent) => Promise<Reply> };

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly body: string;
  /** The path that answered, or the URL of the client that the browser was sent to. */
  readonly url: string;
};

export type Form = { readonly action: string; readonly fields: Readonly<Record<string, string>> };

export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #app: Answering;
  readonly #address: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(app: Answering, address = '198.51.100.7', headers: Readonly<Record<string, string>> = {}) {
    this.#app = app;
    this.#address = address;
    this.#headers = headers;
  }

  get(url: string): Promise<Answer> {
    return this.#follow('GET', url, null);
  }

  post(url: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
    return this.#follow('POST', url, new URLSearchParams(fields).toString());
  }

  /** Submits the form of the page, with its hidden fields. */
  submit(page: Answer, fields: Readonly<Record<string, string>>): Promise<Answer> {
    const form = formOf(page.body);
    return this.post(form.action, { ...form.fields, ...fields });
  }

  /** One request, no redirect followed. */
  async send(method: 'GET' | 'POST', url: string, body: string | null): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await this.#app.inject({
      method,
      url,
      remoteAddress: this.#address,
      headers: {
        accept: 'text/html',
        ...this.#headers,
        ...(cookie !== '' && { cookie }),
        ...(body !== null && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(body !== null && { payload: body }),
    });
    for (const { name, value } of reply.cookies) this.cookies.set(name, value);
    return { status: reply.statusCode, headers: reply.headers, body: reply.body, url };
  }

  async #follow(method: 'GET' | 'POST', url: string, body: string | null): Promise<Answer> {
    let answer = await this.send(method, url, body);
    for (let hops = 0; hops < 10 && answer.status === 303; hops++) {
      const location = String(answer.headers['location']);
      if (!location.startsWith('/')) return { ...answer, url: location };
      answer = await this.send('GET', location, null);
    }
    return answer;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&#34;': '"',
  '&#38;': '&',
  '&#39;': "'",
  '&#60;': '<',
  '&#62;': '>',
  '&#61;': '=',
  '&#96;': '`',
};
const unescaped = (text: string) => text.replace(/&#\d+;/g, (entity) => ENTITIES[entity] ?? entity);
const attribute = (tag: string, name: string) => unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');

/** The page's first form: its action and its hidden fields. */
export function formOf(html: string): Form {
  const [form = ''] = /<form\b[^>]*>/.exec(html) ?? [];
  const hidden = html.match(/<input type="hidden"[^>]*>/g) ?? [];
  return {
    action: attribute(form, 'action'),
    fields: Object.fromEntries(hidden.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')])),
  };
}
