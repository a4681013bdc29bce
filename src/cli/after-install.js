// The last step of "npm ci" (the script "prepare"). Plain JavaScript, since an older Node runs it: npm has warned about that Node.
import { existsSync } from 'node:fs';

const [, major = '24'] = /\bnode\/v(\d+)/.exec(process.env.npm_config_user_agent ?? '') ?? [];
if (Number(major) < 24) {
  const bundled = existsSync(new URL('../../node_modules/node/package.json', import.meta.url));
  process.stdout.write(
    bundled
      ? `The EBADENGINE warnings are harmless: npm start, npm test and npx use the Node 24 that was installed here, not Node ${major}.\n`
      : `Statehouse needs Node 24 or newer, and npm was run by Node ${major}: install Node 24 (https://nodejs.org) to start it.\n`,
  );
}
