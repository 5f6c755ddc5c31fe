import { readSecretSetting } from '@permitry/server/files';
import { CommandFailure } from '../command-failure.ts';
import { tellWarning } from '../printing/tell-warning.ts';

/**
 * A secret out of the variable of this name, or of the file that `NAME_FILE` names; undefined where neither is set.
 *
 * @throws CommandFailure naming the variable that cannot be used
 */
export function readSecretVariable(name: string, { json = false } = {}): string | undefined {
  const secret = findSecret(name);
  if (secret?.warning) tellWarning(secret.warning, { json });
  return secret?.text;
}

function findSecret(name: string): ReturnType<typeof readSecretSetting> {
  try {
    return readSecretSetting(process.env, name);
  } catch (error) {
    throw new CommandFailure(2, `${(error as Error).message}.`, { cause: error });
  }
}
