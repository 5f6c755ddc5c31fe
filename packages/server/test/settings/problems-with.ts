import { ConfigError, readConfig } from '../../src/config.ts';

/** The problems of settings that cannot be used, as sentences; none if they can. */
export function problemsWith(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
