import { printJson } from '../printing/print.ts';
import { checkPolicyFile } from './check-policy-file.ts';
import { printFindings } from './print-findings.ts';
import { type PolicyFile, readPolicyFile } from './read-policy-file.ts';

/** Reads a policy without problems. If the policy has problems, prints them, sets exit code 1 and returns null. */
export async function readCheckedPolicy(
  file: string,
  { json }: { json?: true },
): Promise<Extract<PolicyFile, { ok: true }> | null> {
  const read = await readPolicyFile(file);
  const { problems } = checkPolicyFile(read);
  if (read.ok && problems.length === 0) return read;
  process.exitCode = 1;
  if (json) printJson({ valid: false, problems });
  else printFindings(file, problems, []);
  return null;
}
