/** Programs that some tests need and a machine may lack. `.ci/run` sets TEST_TOOLS, and then they must be there. */
import { existsSync } from 'node:fs';

export const toolsAreRequired = process.env['TEST_TOOLS'] === 'required';

/**
 * @param variable with its path, if it is in none of the places.
 * @returns null: it is not installed, and its tests are skipped.
 */
export function installedTool(variable: string, places: readonly string[]): string | null {
  const found = [process.env[variable], ...places].find((path) => path !== undefined && existsSync(path)) ?? null;
  if (found === null && toolsAreRequired)
    throw new Error(`TEST_TOOLS asks for ${places[0]}; ${variable} may say where it is.`);
  return found;
}
