import { ConfigError, readConfig } from '../../src/config.ts';

/** The problems of unusable settings, as sentences. Empty if the settings are usable. */
export function problemsWith(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
