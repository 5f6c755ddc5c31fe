import { usage } from '../command-failure.ts';
import { tellWarning } from '../printing/print.ts';

/**
 * A secret from the variable of this name, or from the file that `NAME_FILE` names. Undefined if neither is set.
 *
 * @throws CommandFailure naming the variable that cannot be used
 */
export async function readSecretVariable(name: string, { json = false } = {}): Promise<string | undefined> {
  const { readSecretSetting } = await import('@permitry/server/files');
  try {
    const secret = readSecretSetting(process.env, name);
    if (secret?.warning) tellWarning(secret.warning, { json });
    return secret?.text;
  } catch (error) {
    throw usage(`${(error as Error).message}.`, error);
  }
}
