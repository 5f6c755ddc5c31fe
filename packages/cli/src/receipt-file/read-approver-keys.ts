import { type ApproverKeys, readApproverKeys } from '@permitry/protocol';
import { usage } from '../command-failure.ts';
import { readJsonFile } from './read-json-file.ts';

/** Key files, as each approver exports their own. Throws `CommandFailure`. */
export async function readKeyFiles(paths: readonly string[]): Promise<ApproverKeys> {
  const files = await Promise.all(paths.map((path) => readJsonFile(path, `--approvers ${path}`)));
  try {
    return readApproverKeys(files);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw usage(`--approvers cannot be used: ${cause.message}`, cause);
  }
}
