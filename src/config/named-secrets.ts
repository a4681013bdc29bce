/** The secrets that upstreams.yaml and bot-check.yaml name, which are in the environment. No value is ever printed. */
import { BOT_CHECK_FILE, type Configuration, UPSTREAMS_FILE } from './configuration.ts';
import { ConfigurationError, type Problem } from './problem.ts';
import { secretVariable, type Variables } from './secret-variable.ts';

type Naming = Pick<Configuration, 'upstreams' | 'botCheck'>;

/** A variable, and the place that names it. */
type Named = { readonly file: string; readonly key: string; readonly name: string };

const namedIn = ({ upstreams, botCheck }: Naming): readonly Named[] => [
  ...upstreams.flatMap(({ client_secret_environment: name }, at) =>
    name === undefined ? [] : [{ file: UPSTREAMS_FILE, key: `upstreams.${at}.client_secret_environment`, name }],
  ),
  ...(botCheck === null ? [] : [{ file: BOT_CHECK_FILE, key: 'secretEnvironment', name: botCheck.secretEnvironment }]),
];

/** @throws EnvironmentError for a file that cannot be read. @throws ConfigurationError naming every variable that is not set. */
export function requireNamedSecrets(configuration: Naming, environment: Variables, folder: string): void {
  const problems = namedIn(configuration)
    .filter(({ name }) => !secretVariable(environment, name))
    .map(
      ({ file, key, name }): Problem => ({
        file,
        line: null,
        key,
        found: `${name}, which is not set`,
        allowed: 'a variable that holds the secret',
        nearest: null,
      }),
    );
  if (problems.length > 0) throw new ConfigurationError(folder, problems);
}
