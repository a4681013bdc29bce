import { explainedOfHttp } from './explained-http.ts';

/** Mutants that no test can or should notice, with the reason. The report counts them apart. */
export type Explained = {
  readonly file: string;
  /** The line in which the mutation begins, trimmed. */
  readonly source: string;
  /** Stryker's names of the kinds of mutation; left out: all of that line. */
  readonly mutators?: readonly string[];
  readonly why: string;
};

export const explained: readonly Explained[] = [
  ...explainedOfHttp,
  {
    file: 'src/engine/decide.ts',
    source: 'const [transition] = machine.getTransitionData({ ...resolved, context }, event) ?? [];',
    mutators: ['ArrayDeclaration', 'LogicalOperator'],
    why: 'XState returns a list, empty when no arm answers; the type alone also says undefined.',
  },
  {
    file: 'src/engine/decide.ts',
    source: 'const to = transition.target?.[0]?.key ?? from;',
    mutators: ['OptionalChaining'],
    why: 'A list of targets is never empty; the compiler does not know it.',
  },
  {
    file: 'src/engine/decide.ts',
    source: 'if (known !== undefined) return known;',
    mutators: ['ConditionalExpression'],
    why: 'Saves time: a machine that passed would pass again.',
  },
  {
    file: 'src/engine/decide.ts',
    source: 'statesOfMachines.set(machine, states);',
    why: 'Saves time: a machine that passed would pass again.',
  },
  {
    file: 'src/engine/run.ts',
    source: "if (reply.kind === 'committed' && reply.committed) return answered;",
    mutators: ['ConditionalExpression'],
    why: 'Only a reply of this kind has `committed`; the kind is there for the compiler.',
  },
  {
    file: 'src/engine/run.ts',
    source: 'let unavailable = new StoreUnavailable(false);',
    why: 'Every list of waits has one entry at least, whose failure replaces it.',
  },
  {
    file: 'src/engine/run.ts',
    source: "return { kind: 'unavailable', error: unavailable };",
    why: 'The loop asks of a reload whether it is loaded; why it is not is told by the commit that was lost.',
  },
  {
    file: 'src/engine/run.ts',
    source: "const cause = lost ?? (again.kind === 'unavailable' ? again.error : undefined);",
    mutators: ['ConditionalExpression'],
    why: 'Only a reply of this kind has `error`; the kind is there for the compiler.',
  },
  {
    file: 'src/crypto/jws.ts',
    source: 'if (ofKey.size === 0) headers.set(key, ofKey);',
    why: 'Saves time: a header that is not kept is made again.',
  },
  {
    file: 'src/crypto/jws.ts',
    source: 'ofKey.set(typ, known);',
    why: 'Saves time: a header that is not kept is made again.',
  },
  {
    file: 'src/crypto/jws-algorithms.ts',
    source: 'if (signatureBytes !== null && signature.length !== signatureBytes) return false;',
    mutators: ['ConditionalExpression'],
    why: 'OpenSSL refuses signatures of other lengths too, but does not promise it.',
  },
  {
    file: 'src/crypto/password.ts',
    source: "const HASH_FOR_UNKNOWN_USER = hashPassword('a password of no account' as RawSecret);",
    mutators: ['StringLiteral'],
    why: 'Any password does: it opens no account.',
  },
  {
    file: 'src/crypto/read-jwt.ts',
    source: "const [, encodedHeader = '', encodedPayload = '', encodedSignature = ''] = COMPACT.exec(token) ?? [];",
    why: 'Where nothing matched, any text that is not base64url of an object is refused in the next lines.',
  },
  {
    file: 'src/crypto/read-jwt.ts',
    source: 'if (bytes === null) return null;',
    mutators: ['ConditionalExpression'],
    why: 'The decoder throws at null, which is answered with null too; the compiler does not know it.',
  },
  {
    file: 'src/crypto/read-jwt.ts',
    source: "const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);",
    mutators: ['ConditionalExpression'],
    why: 'Without its second part null is returned as the value instead of as nothing. The others are noticed.',
  },
  {
    file: 'src/crypto/sealed-text.ts',
    source:
      'if (bytes === null || bytes.length < HEADER_BYTES + IV_BYTES + TAG_BYTES || bytes[0] !== VERSION) return null;',
    mutators: ['EqualityOperator'],
    why: 'A text of exactly this length is sealed nothing, which does not unpack: null either way.',
  },
  {
    file: 'src/crypto/sealed-text.ts',
    source:
      "const decipher = createDecipheriv('aes-256-gcm', keyFor(root, purpose, name), iv, { authTagLength: TAG_BYTES });",
    mutators: ['ObjectLiteral'],
    why: 'The tag that is cut off always has 16 bytes; said again so that a shorter one could never pass.',
  },
  {
    file: 'src/oauth/basic-auth.ts',
    source: 'const [, encoded] = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(header) ?? [];',
    mutators: ['ArrayDeclaration'],
    why: 'Only the second entry is read.',
  },
  {
    file: 'src/oauth/bearer.ts',
    source: 'const [, token] = /^bearer +(.*)$/i.exec(authorization) ?? [];',
    mutators: ['ArrayDeclaration'],
    why: 'Only the second entry is read.',
  },
  {
    file: 'src/oauth/first-difference.ts',
    source: 'while (length < left.length && left[length] === right[length]) length++;',
    mutators: ['EqualityOperator'],
    why: 'Behind the end of two equal texts there is nothing to cut off.',
  },
  {
    file: 'src/oauth/parameters.ts',
    source: 'const name = decode(at < 0 ? pair : pair.slice(0, at));',
    mutators: ['EqualityOperator'],
    why: 'No parameter has an empty name, nor one that begins with "=".',
  },
  {
    file: 'src/oauth/parameters.ts',
    source: 'if (name === null || !names.has(name)) continue;',
    mutators: ['ConditionalExpression'],
    why: 'null is no known name; asked for the compiler.',
  },
  {
    file: 'src/oauth/parameters.ts',
    source: "const value = /[\\u0080-\\uffff]/.test(pair) ? null : decode(at < 0 ? '' : pair.slice(at + 1));",
    mutators: ['EqualityOperator'],
    why: 'No parameter has an empty name, so a value without a name is not read.',
  },
  {
    file: 'src/oauth/redirect-uri.ts',
    source: 'const [, registeredHost, , registeredRest] = LOOPBACK_LITERAL.exec(registered) ?? [];',
    mutators: ['ArrayDeclaration'],
    why: 'The first entry is not read.',
  },
  {
    file: 'src/oauth/redirect-uri.ts',
    source: 'const [, askedHost, askedPort, askedRest] = LOOPBACK_LITERAL.exec(asked) ?? [];',
    mutators: ['ArrayDeclaration'],
    why: 'The first entry is not read.',
  },
  {
    file: 'src/oauth/redirect-uri.ts',
    source: `if (/^(javascript|data|vbscript|file|blob|about):$/.test(url.protocol)) return \`has the scheme \${url.protocol}\`;`,
    mutators: ['Regex'],
    why: 'The protocol of a URL has one colon, at its end.',
  },
  {
    file: 'policies/client-schema.ts',
    source: 'if (expected || insteadOf || secret) expectations.add(described, { expected, insteadOf, secret });',
    mutators: ['ConditionalExpression'],
    why: 'Words that say nothing hide none today: a field without words has items, not layers, that say what is expected.',
  },
  {
    file: 'policies/client-schema.ts',
    source: "if (Array.isArray(value)) return value.length === 0 ? null : value.join(', ');",
    mutators: ['StringLiteral'],
    why: 'The only list with a default that is not empty has one entry.',
  },
  {
    file: 'policies/client-schema.ts',
    source: 'decode: (text) => parseScope(text) ?? [],',
    why: 'What the schema before it accepts is a scope; the type alone also says null.',
  },
  {
    file: 'policies/client-schema.ts',
    source: "description: 'The secret of a confidential client; only a keyed hash of it is kept.',",
    why: 'No command and no JSON Schema shows it: the field is neither an option nor allowed in a file.',
  },
  {
    file: 'policies/client-schema.ts',
    source: "leftOut: 'the stored secret, or a new random secret',",
    why: 'No command and no JSON Schema shows it: the field is neither an option nor allowed in a file.',
  },
  {
    file: 'policies/client-schema.ts',
    source: "description: 'Read, and not stored: grant_types says the same.',",
    why: 'No command and no JSON Schema shows it: the field is neither an option nor allowed in a file.',
  },
  {
    file: 'src/registration/client-metadata.ts',
    source: `if (!texts) throw new Error(\`The field \${name} of the client schema has no description.\`);`,
    why: 'Said to the developer who adds a field without words, at the first start.',
  },
  {
    file: 'src/registration/client-review.ts',
    source: 'const fallback = configuration.resources.find((resource) => resource.default)?.identifier;',
    mutators: ['OptionalChaining'],
    why: 'The schema wants exactly one default; the compiler does not know it.',
  },
  {
    file: 'src/registration/further-claims.ts',
    source: 'return { claims: problems.length === 0 ? (JSON.parse(JSON.stringify(claims)) as Claims) : {}, problems };',
    mutators: ['ConditionalExpression'],
    why: 'A record with problems is refused, and its claims are not read.',
  },
  {
    file: 'src/registration/declared-clients.ts',
    source: 'const old = stored?.secretMacs ?? [];',
    mutators: ['ArrayDeclaration'],
    why: 'No secret matches what is put there.',
  },
  {
    file: 'src/registration/register-client.ts',
    source: 'if (givenId !== null && (await isSub(deps.db, givenId))) throw new ClientIdIsSub();',
    mutators: ['ConditionalExpression'],
    why: 'No end-user is found without an id; asked for the compiler.',
  },
  {
    file: 'src/registration/register-client.ts',
    source: 'const stored = givenId === null ? null : await findClient(deps.db, givenId);',
    mutators: ['ConditionalExpression'],
    why: 'No client is found without an id; asked for the compiler.',
  },
  {
    file: 'src/registration/user-record.ts',
    source: "const date = value.replace(/^0000/, '2000');",
    mutators: ['Regex'],
    why: 'Only the year has four digits.',
  },
  {
    file: 'src/registration/user-record.ts',
    source: 'if (password !== null && /[\\r\\n]/.test(password)) {',
    mutators: ['ConditionalExpression'],
    why: 'The word "null" has no line break either; asked for the compiler.',
  },
  {
    file: 'src/registration/client-metadata.ts',
    source: 'return key !== undefined && !isDeepStrictEqual(stored[key], wanted[key]);',
    mutators: ['ConditionalExpression'],
    why: 'A field that is not stored has no key, and is undefined on both sides.',
  },
  {
    file: 'src/registration/declared-clients.ts',
    source: 'const { client_secret_environment: names = [], client_secret_sha256: hashes = [], ...rest } = record;',
    mutators: ['ArrayDeclaration'],
    why: 'A variable that is not set adds no secret.',
  },
  {
    file: 'src/registration/declared-clients.ts',
    source: 'const secrets = names.flatMap((name) => environment[name] ?? []);',
    mutators: ['ArrayDeclaration'],
    why: 'A variable that is not set is a problem, with which nothing that was read is used.',
  },
  {
    file: 'src/registration/declared-clients.ts',
    source: 'if (!reading.ok) return [];',
    mutators: ['ArrayDeclaration'],
    why: 'With a problem, nothing that was read is used.',
  },
  {
    file: 'src/protocol/client-authentication.ts',
    source: "if (noClient?.keys !== keys) noClient = { keys, macs: [storedSecretMac(keys, rawSecret('no client'))] };",
    why: 'Only time would tell: the work that is done for a client that does not exist.',
  },
  {
    file: 'src/protocol/authorization-request.ts',
    source: "(p) => !isS256Challenge(p.get('code_challenge') ?? ''),",
    mutators: ['StringLiteral'],
    why: 'That it is there was checked before; asked for the compiler.',
  },
  {
    file: 'src/protocol/authorization-request.ts',
    source: "codeChallenge: parameters.get('code_challenge') ?? '',",
    mutators: ['StringLiteral'],
    why: 'That it is there was checked before; asked for the compiler.',
  },
  {
    file: 'src/protocol/authorization-request.ts',
    source: "prompt: parsePrompt(parameters.get('prompt') ?? '') ?? [],",
    mutators: ['ArrayDeclaration', 'StringLiteral'],
    why: 'A prompt that cannot be read was refused before, and both ways of saying none are an empty list.',
  },
  {
    file: 'src/protocol/client-authentication.ts',
    source: 'return [{ clientId, secret: secret === null ? null : rawSecret(secret), address }];',
    mutators: ['ConditionalExpression'],
    why: 'The function gives a text its type and returns null as it is; asked for the compiler.',
  },
  {
    file: 'src/protocol/client-authentication.ts',
    source: 'if (secret === null) return;',
    mutators: ['ConditionalExpression'],
    why: 'A client that authenticated without a secret has none stored; asked for the compiler.',
  },
  {
    file: 'src/protocol/client-brake.ts',
    source: "const keyOf = ({ clientId, address }: Guesser) => digest('client', address(), clientId);",
    mutators: ['StringLiteral'],
    why: 'It says what is hashed; a pair and a secret are never compared.',
  },
  {
    file: 'src/protocol/client-brake.ts',
    source: "(running(key) ?? begin(key)).wrong.add(digest('secret', wrong));",
    mutators: ['StringLiteral'],
    why: 'It says what is hashed; a pair and a secret are never compared.',
  },
  {
    file: 'src/protocol/client-brake.ts',
    source: 'if (pairs.size >= MAX_PAIRS && oldest !== undefined) pairs.delete(oldest);',
    mutators: ['ConditionalExpression'],
    why: 'Where so many pairs are, there is an oldest; asked for the compiler.',
  },
  {
    file: 'src/protocol/allowed-clients.ts',
    source: 'if (since === undefined || newest === undefined) return [];',
    mutators: ['ConditionalExpression', 'LogicalOperator'],
    why: 'A list has a first and a last entry, or neither; the second question is for the compiler.',
  },
  {
    file: 'src/protocol/client-credentials.ts',
    source: "const refused = refuse(reason === 'openid_missing' ? 'scope_not_allowed' : reason, 'scope');",
    mutators: ['ConditionalExpression', 'StringLiteral'],
    why: 'What needs an end-user was refused before; the compiler does not know it.',
  },
  {
    file: 'src/protocol/authorize.ts',
    source: "kind: 'error',",
    mutators: ['StringLiteral'],
    why: 'The refusal of a request that is too long is made here, and its kind is not asked for again.',
  },
  {
    file: 'src/protocol/interaction-step.ts',
    source: "if (sealed.length > MAX_SEALED_CHARACTERS) return 'tooLong';",
    mutators: ['EqualityOperator'],
    why: 'That a line is drawn matters, and is tested; one character more does not.',
  },
  {
    file: 'src/protocol/interaction.ts',
    source: "if (outcome.kind === 'consent' && session !== null) {",
    mutators: ['ConditionalExpression'],
    why: 'Without a session the machine does not show the consent; asked for the compiler.',
  },
  {
    file: 'src/protocol/interaction.ts',
    source: "const reason = outcome.kind === 'rejected' ? outcome.reason : 'interaction_completed';",
    mutators: ['ConditionalExpression', 'StringLiteral'],
    why: 'The machine answers a page in no other way; asked for the compiler.',
  },
  {
    file: 'src/protocol/interaction.ts',
    source: "const isRefused = reason !== 'sign_in_required' && reason !== 'user_changed';",
    mutators: ['ConditionalExpression', 'LogicalOperator', 'StringLiteral'],
    why: 'The machine gives these reasons to forms alone; asked for the compiler.',
  },
  {
    file: 'src/protocol/interaction.ts',
    source: "reason: isRefused ? reason : 'interaction_completed',",
    mutators: ['StringLiteral'],
    why: 'The machine gives these reasons to forms alone; asked for the compiler.',
  },
  {
    file: 'src/protocol/interaction.ts',
    source: "if (step.kind !== 'continued' || step.reason !== 'sign_in_required') return step;",
    mutators: ['ConditionalExpression'],
    why: 'Only a step that continued has this reason; the kind is there for the compiler.',
  },
  {
    file: 'src/protocol/interaction.ts',
    source: "return { kind: 'opened', named, facts };",
    mutators: ['StringLiteral'],
    why: 'Callers ask only whether it is refused.',
  },
  {
    file: 'src/protocol/introspection-request.ts',
    source: "const grantId = token.kind === 'nothing' ? null : (token.grant?.id ?? null);",
    mutators: ['ConditionalExpression', 'StringLiteral'],
    why: 'Nothing has no grant; the kind is there for the compiler.',
  },
  {
    file: 'src/protocol/sent-token.ts',
    source: "return { kind: 'sent', client, token };",
    mutators: ['StringLiteral'],
    why: 'Callers ask only whether it is refused.',
  },
  {
    file: 'src/protocol/sign-in.ts',
    source: "pair: key('account', address, account),",
    mutators: ['StringLiteral'],
    why: 'It keeps keys of different kinds apart, as each other word would.',
  },
  {
    file: 'src/protocol/sign-in.ts',
    source: "address: key('address', address),",
    mutators: ['StringLiteral'],
    why: 'It keeps keys of different kinds apart, as each other word would.',
  },
  {
    file: 'src/protocol/sign-in.ts',
    source: "account: key('account', account),",
    mutators: ['StringLiteral'],
    why: 'It keeps keys of different kinds apart, as each other word would.',
  },
  {
    file: 'src/protocol/sign-in.ts',
    source: "nobodyHere: key('nobody', address, 'pair'),",
    mutators: ['StringLiteral'],
    why: 'It keeps keys of different kinds apart, as each other word would.',
  },
  {
    file: 'src/protocol/sign-in.ts',
    source: "nobodyThere: key('nobody', address, 'account'),",
    mutators: ['StringLiteral'],
    why: 'It keeps keys of different kinds apart, as each other word would.',
  },
  {
    file: 'src/protocol/signed-in-browsers.ts',
    source: 'const isSessionName = sid !== null && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(sid);',
    mutators: ['ConditionalExpression'],
    why: 'The word "null" is no name of a session either; asked for the compiler.',
  },
  {
    file: 'src/protocol/userinfo.ts',
    source: 'const asked = scope.flatMap((one) => STANDARD_CLAIMS_OF[one] ?? []);',
    mutators: ['ArrayDeclaration'],
    why: 'No end-user has a claim of the name that is put there.',
  },
  {
    file: 'src/protocol/requested-access.ts',
    source:
      "if (!named.every((one) => one !== undefined && resources.includes(one))) return problem('resource_unknown');",
    mutators: ['ConditionalExpression'],
    why: 'No resource is called undefined; asked for the compiler.',
  },
  {
    file: 'src/protocol/requested-access.ts',
    source: 'resource === undefined ||',
    mutators: ['ConditionalExpression'],
    why: 'Where none is named and there is no default, the request was refused before; asked for the compiler.',
  },
  {
    file: 'src/protocol/requested-access.ts',
    source: 'return [...describedAt(configuration.resources.filter((one) => named.includes(one.identifier)))];',
    mutators: ['MethodExpression'],
    why: 'What means nothing at the resources is left out of a default afterwards, too.',
  },
  {
    file: 'src/protocol/requested-access.ts',
    source: 'known.set(configuration, found);',
    why: 'Saves time: the scopes would be found again.',
  },
  {
    file: 'src/protocol/told-claims.ts',
    source: 'if (mapping.size === 0 || claims === null) return {};',
    mutators: ['ConditionalExpression'],
    why: 'Saves time: a mapping of nothing tells nothing.',
  },
  {
    file: 'src/protocol/told-claims.ts',
    source:
      'const names = scope.flatMap((name) => mapping.get(name) ?? []).filter((name) => Object.hasOwn(claims, name));',
    mutators: ['ArrayDeclaration'],
    why: 'No end-user has a claim of the name that is put there.',
  },
  {
    file: 'src/protocol/told-claims.ts',
    source: 'told.set(policy, known);',
    why: 'Saves time: the claims would be found again.',
  },
  {
    file: 'src/protocol/told-claims.ts',
    source: 'known.set(place, found);',
    why: 'Saves time: the claims would be found again.',
  },
  {
    file: 'src/protocol/requested-access.ts',
    source: 'client.defaultResource ?? resources.find((one) => one.default)?.identifier;',
    mutators: ['OptionalChaining'],
    why: 'The schema wants exactly one default; the compiler does not know it.',
  },
];
