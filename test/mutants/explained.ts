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
  {
    file: 'src/engine/decide.ts',
    source: 'const [transition] = machine.getTransitionData(snapshot, event) ?? [];',
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
    source: 'if (flat.has(machine)) return;',
    mutators: ['ConditionalExpression'],
    why: 'Saves time: a machine that passed would pass again.',
  },
  {
    file: 'src/engine/decide.ts',
    source: 'flat.add(machine);',
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
    file: 'src/lifecycles/grant.ts',
    source: 'contextOf: () => ({}),',
    mutators: ['ArrowFunction'],
    why: 'No guard of this machine reads its context.',
  },
  {
    file: 'src/lifecycles/grant.ts',
    source:
      "if (effect?.type !== 'writeRevoked') throw new InvariantViolation('grant: a change other than a revocation');",
    mutators: ['OptionalChaining'],
    why: 'Without the effect the code below throws too; the type is there for the compiler.',
  },
  {
    file: 'src/lifecycles/interaction.ts',
    source: 'for (const effect of decision?.effects ?? []) {',
    why: 'A step has one decision at least; the compiler does not know it.',
  },
  {
    file: 'src/lifecycles/interaction.ts',
    source: "throw new InvariantViolation('interaction: a decision without an answer');",
    why: 'The engine refuses such a decision before it asks for the answer.',
  },
  {
    file: 'src/lifecycles/interaction.ts',
    source: "if (!grant) throw new InvariantViolation('an approved interaction without its grant');",
    why: 'The machine repeats an answer only while the code of a grant waits; the compiler does not know it.',
  },
  {
    file: 'src/lifecycles/interaction.ts',
    source: 'const loaded = await store.load(reference, session?.userId ?? null);',
    mutators: ['OptionalChaining'],
    why: 'Nothing is committed without an end-user, so nothing is loaded again.',
  },
  {
    file: 'src/lifecycles/presentation.ts',
    source: "const issues = decision !== undefined && effectOf(decision, 'issueTokens') !== undefined;",
    mutators: ['ConditionalExpression'],
    why: 'A step has one decision at least; the compiler does not know it.',
  },
  {
    file: 'src/lifecycles/refresh-token.ts',
    source: "return decisions.some((decision) => effectOf(decision, 'issueTokens') !== undefined);",
    mutators: ['MethodExpression'],
    why: 'Tokens are issued by a decision that stands alone; one that ends the chain issues none.',
  },
  {
    file: 'src/lifecycles/session.ts',
    source: 'after.endedReason !== null && entry',
    mutators: ['LogicalOperator', 'ConditionalExpression'],
    why: 'An end has a reason and a line, a use has neither; both are asked for the compiler.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: "super('A key has to be created.');",
    why: 'This error is caught in its own file, and nobody reads it.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: "this.name = 'FreshKeyNeeded';",
    why: 'This error is caught in its own file, and nobody reads it.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: 'changed(table, facts, { rotationAskedAt: keyOf(table, facts)?.rotationAskedAt ?? facts.now }),',
    mutators: ['OptionalChaining'],
    why: 'Only a key of the table has this effect; the compiler does not know it.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: 'const NEVER: SigningKeyContext = {',
    why: 'No arm of a key that is not stored asks for an instant.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: "anotherSigns: table.some((key) => key.alg === alg && key.state === 'signing' && key.kid !== kid),",
    mutators: ['ConditionalExpression'],
    why: 'Only a key that does not sign asks whether another does.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: "const facts = { now, alg, atOnce, fresh, policy: policy(), kid: kid ?? fresh?.kid ?? '' };",
    mutators: ['StringLiteral'],
    why: 'Until the fresh key is made any name does that no key has.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: "answer: ({ entries }) => entries.map((entry) => ({ ...entry, kid: entry.signingKeyId ?? '', alg })),",
    mutators: ['StringLiteral'],
    why: 'Each line of this machine names its key; the compiler does not know it.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: 'for (let steps = 0; steps < MAX_STEPS; steps++) {',
    mutators: ['EqualityOperator'],
    why: 'The limit is far above what is ever due: one step more says the same.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: "...withoutKey.map((alg): KeyEvent => ({ type: 'noKeySigns', alg, kid: null, atOnce: false })),",
    mutators: ['BooleanLiteral'],
    why: 'Only a rotation asks whether it is at once.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: "...keys.map(({ kid, alg }): KeyEvent => ({ type: 'timePassed', alg, kid, atOnce: false })),",
    mutators: ['BooleanLiteral'],
    why: 'Only a rotation asks whether it is at once.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: "? ask(world, { type: 'timePassed', alg, kid: waiting.kid, atOnce: false }, loaded)",
    mutators: ['BooleanLiteral'],
    why: 'Only a rotation asks whether it is at once.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: ": ask(world, { type: 'noKeySigns', alg, kid: null, atOnce: false }, loaded);",
    mutators: ['BooleanLiteral'],
    why: 'Only a rotation asks whether it is at once.',
  },
  {
    file: 'src/lifecycles/signing-key.ts',
    source: "return key ? ask(world, { type: 'revocationRequested', alg: key.alg, kid, atOnce: true }, loaded) : null;",
    mutators: ['BooleanLiteral'],
    why: 'Only a rotation asks whether it is at once.',
  },
  {
    file: 'src/storage/housekeeping.ts',
    source: 'return row?.last ? new Date(row.last) : null;',
    mutators: ['OptionalChaining'],
    why: 'An aggregate always has a row; the compiler does not know it.',
  },
  {
    file: 'src/storage/ledger-partitions.ts',
    source: 'else if (!held) await db.execute(sql.raw(holdLedgerPartition(name)));',
    mutators: ['ConditionalExpression'],
    why: 'Saves time: a trigger that exists is replaced by itself.',
  },
  {
    file: 'src/storage/ledger-partitions.ts',
    source: "if (!HARMLESS.has(codeOf(error) ?? '')) throw error;",
    mutators: ['StringLiteral'],
    why: 'Any text does that is no code.',
  },
  {
    file: 'src/storage/ledger-partitions.ts',
    source: 'const [, year, month] = /^transitions_(\\d{4})_(\\d{2})$/.exec(name) ?? [];',
    mutators: ['ArrayDeclaration'],
    why: 'Only the entries behind the first are read.',
  },
  {
    file: 'src/storage/ledger-partitions.ts',
    source: 'return year && month ? [{ name, held, endsAt: new Date(Date.UTC(Number(year), Number(month), 1)) }] : [];',
    mutators: ['LogicalOperator'],
    why: 'The name has both or neither; the compiler does not know it.',
  },
  {
    file: 'src/storage/signing-keys.ts',
    source: "const kid = { kid: sql<string>`kid`.as('kid') };",
    why: 'It tells the compiler what the raw statement has; the statement names its columns itself.',
  },
  {
    file: 'src/storage/signing-keys.ts',
    source: ".$with('turn', { turn: sql<string>`turn`.as('turn') })",
    why: 'It tells the compiler what the raw statement has; the statement names its columns itself.',
  },
  {
    file: 'src/storage/denied-access-tokens.ts',
    source: ".prepare('load_denial');",
    why: 'The name of a prepared statement, for people who read the log of Postgres.',
  },
  {
    file: 'src/storage/grant-life.ts',
    source: 'earlierLines: (all?.count ?? newest.length) - newest.length,',
    mutators: ['OptionalChaining'],
    why: 'A count always has a row; the compiler does not know it.',
  },
  {
    file: 'src/storage/server.ts',
    source:
      'export const ping = (db: Drizzle): Promise<unknown> => reading(() => db.select({ epoch: server.epoch }).from(server));',
    mutators: ['ObjectLiteral'],
    why: 'That there is an answer counts, whatever it holds.',
  },
  {
    file: 'src/storage/failures.ts',
    source: "throw expectedFailure(codeOf(error) ?? '') ? failureOf(error, true) : error;",
    mutators: ['StringLiteral'],
    why: 'Any text does that is no code.',
  },
  {
    file: 'src/storage/failures.ts',
    source: "const isConflict = (error: unknown): boolean => CONFLICTS.has(codeOf(error) ?? '');",
    mutators: ['StringLiteral'],
    why: 'Any text does that is no code.',
  },
  {
    file: 'src/storage/failures.ts',
    source: 'timer.unref();',
    why: 'Lets a process end that waits for nothing else.',
  },
  {
    file: 'src/storage/failures.ts',
    source: "const frames = String(stack ?? '')",
    mutators: ['StringLiteral'],
    why: 'Any text does that is no frame of a stack.',
  },
  {
    file: 'src/storage/users.ts',
    source:
      'return (await reading(() => db.select({ id: users.id }).from(users).where(eq(users.id, text)))).length > 0;',
    mutators: ['ObjectLiteral'],
    why: 'Only the number of rows counts.',
  },
  {
    file: 'src/storage/sessions.ts',
    source: 'sessions: rows.flatMap((row) => loadedFrom(row).session ?? []),',
    mutators: ['ArrayDeclaration'],
    why: 'Each row has a session; the compiler does not know it.',
  },
  {
    file: 'src/storage/sessions.ts',
    source: "if (!inserted) throw new Error('The INSERT of a session returned no row.');",
    mutators: ['ConditionalExpression', 'StringLiteral'],
    why: 'An INSERT returns its row or fails; the compiler does not know it.',
  },
  {
    file: 'src/storage/sessions.ts',
    source: ".prepare('load_session');",
    why: 'The name of a prepared statement, for people who read the log of Postgres.',
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
    file: 'src/protocol/requested-access.ts',
    source: 'allScopes.set(configuration, known);',
    why: 'Saves time: the scopes would be found again.',
  },
  {
    file: 'src/protocol/requested-access.ts',
    source: 'identityScopes.set(configuration, known);',
    why: 'Saves time: the scopes would be found again.',
  },
  {
    file: 'src/protocol/requested-access.ts',
    source: 'client.defaultResource ?? resources.find((one) => one.default)?.identifier;',
    mutators: ['OptionalChaining'],
    why: 'The schema wants exactly one default; the compiler does not know it.',
  },
];
