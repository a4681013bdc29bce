/** The secrets of upstreams.yaml, which are in the environment. No value is ever printed. */
import { type Configuration, UPSTREAMS_FILE } from './configuration.ts';
import { ConfigurationError, type Problem } from './problem.ts';
import { secretVariable, type Variables } from './secret-variable.ts';

/** @throws EnvironmentError for a file that cannot be read. @throws ConfigurationError naming every variable that upstreams.yaml names and that is not set. */
export function requireUpstreamSecrets(
  { upstreams }: Pick<Configuration, 'upstreams'>,
  environment: Variables,
  folder: string,
): void {
  const problems = upstreams.flatMap(({ client_secret_environment: name }, at): Problem[] =>
    name === undefined || secretVariable(environment, name)
      ? []
      : [
          {
            file: UPSTREAMS_FILE,
            line: null,
            key: `upstreams.${at}.client_secret_environment`,
            found: `${name}, which is not set`,
            allowed: 'a variable that holds the secret',
            nearest: null,
          },
        ],
  );
  if (problems.length > 0) throw new ConfigurationError(folder, problems);
}
