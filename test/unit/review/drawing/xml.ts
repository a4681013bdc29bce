/** Reads XML as strictly as is needed to see that it is well-formed. No entities but the five of XML 1.0 §4.6. */

export type Element = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: (Element | string)[];
};

/** @throws Error saying what is wrong, and where. */
export function readXml(text: string): Element {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML 1.0 §2.2 forbids.
  const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.exec(text);
  if (forbidden) throw new Error(`a character that XML cannot have, at ${forbidden.index}`);
  if (!text.isWellFormed()) throw new Error('half of a surrogate pair');
  const root: Element = { name: '', attributes: new Map(), children: [] };
  const open: Element[] = [root];
  const token =
    /<(?<close>\/)?(?<name>[A-Za-z][\w:.-]*)(?<attributes>(?:\s+[\w:.-]+="[^"<]*")*)\s*(?<empty>\/)?>|(?<text>[^<]+)/gy;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const groups = token.exec(text)?.groups;
    if (!groups) throw new Error(`no XML at ${at}: ${text.slice(at, at + 60)}`);
    const parent = open.at(-1) ?? root;
    if (groups['text'] !== undefined) parent.children.push(plain(groups['text']));
    else if (groups['close']) {
      if (parent.name !== groups['name']) throw new Error(`</${groups['name']}> closes <${parent.name}>`);
      open.pop();
    } else {
      const element: Element = {
        name: groups['name'] ?? '',
        attributes: attributesOf(groups['attributes'] ?? ''),
        children: [],
      };
      parent.children.push(element);
      if (!groups['empty']) open.push(element);
    }
  }
  const [only, ...more] = root.children.filter((one) => typeof one !== 'string' || one.trim() !== '');
  if (open.length !== 1 || typeof only !== 'object' || more.length > 0) throw new Error('not one element');
  return only;
}

function attributesOf(written: string): ReadonlyMap<string, string> {
  const pairs = [...written.matchAll(/([\w:.-]+)="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, plain(value)] as const,
  );
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) throw new Error(`an attribute twice: ${written}`);
  return new Map(pairs);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const plain = (text: string): string =>
  text.replaceAll(/&([^;]*;)?/g, (whole, name: string | undefined) => {
    const sign = ENTITIES[name?.slice(0, -1) ?? ''];
    if (sign === undefined) throw new Error(`no entity: ${whole}`);
    return sign;
  });

export const allIn = (element: Element): readonly Element[] => [
  element,
  ...element.children.flatMap((child) => (typeof child === 'string' ? [] : allIn(child))),
];

export const textOf = (element: Element): string =>
  element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
