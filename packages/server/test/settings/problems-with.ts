import { ConfigError, readConfig } from '../../src/config.ts';

/** Of settings that cannot be used, in words; none where they can. */
export function problemsWith(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
