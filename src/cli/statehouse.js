#!/usr/bin/env node
// Plain JavaScript, so that an older Node can print what is missing. The rest is TypeScript, which Node 24 runs.
if (Number(process.versions.node.split('.')[0]) >= 24) {
  // Loading takes long on a cold machine, so the first line comes before it. In production, standard output is the log.
  if (process.argv.length === 3 && process.argv[2] === 'start' && process.env.NODE_ENV?.trim() !== 'production') {
    process.stdout.write('Statehouse is starting. The first start on a machine takes the longest.\n');
  }
  await import('./fast-loading.js');
  await import('./main.ts');
} else {
  const { existsSync } = await import('node:fs');
  const bundled = existsSync(new URL('../../node_modules/node/package.json', import.meta.url));
  process.stderr.write(
    `Statehouse needs Node 24 or newer; this is Node ${process.versions.node}.\n` +
      (bundled
        ? 'Run it through npm, which uses the Node 24 that "npm ci" has installed: npm start, or npx statehouse <command>.\n' +
          'Or install Node 24 (https://nodejs.org) and run this again.\n'
        : 'Install Node 24 (https://nodejs.org) and run this again. npm has no Node 24 here: it is a development dependency, ' +
          'which "npm ci --omit=dev" leaves out.\n'),
  );
  process.exitCode = 1;
}
