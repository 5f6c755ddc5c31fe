import { checkPolicyFile } from '../policy-file/check-policy-file.ts';
import { printFindings } from '../policy-file/print-findings.ts';
import { readPolicyFile } from '../policy-file/read-policy-file.ts';
import { counted } from '../printing/counted.ts';
import { paint } from '../printing/paint.ts';
import { printJson } from '../printing/print-json.ts';
import { sayVisibly } from '../printing/say-visibly.ts';

export async function check(file: string, flags: { json?: true }): Promise<void> {
  const { problems, warnings, hash, rules } = checkPolicyFile(await readPolicyFile(file));
  if (problems.length > 0) process.exitCode = 1;
  if (flags.json) {
    printJson({ valid: problems.length === 0, hash, problems, warnings });
    return;
  }
  printFindings(file, problems, warnings);
  if (hash !== null)
    process.stdout.write(
      `${paint('green', 'valid')}  ${sayVisibly(file)}: ${counted(rules, 'rule')}, ${hash}\n`,
    );
}
